import { equal, ok, throws } from "node:assert/strict";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { sandboxExecProfile } from "./macos_profile.ts";

const POLICY: SandboxPolicy = {
  mode: "workspace-write",
  network: "on",
  workspace: ["/Users/me/work"],
  writable: ["/private/var/folders/x/hermes"],
  hidden: ["/Users", "/Users/me/.ssh", "/Users/me/work/.hermes"],
  readable: ["/Users/me", '/Users/me/odd"\\name'],
  env: {},
  limits: { processes: 0, memoryBytes: 0 },
  own: [],
};

function lineOf(profile: string, text: string): number {
  const line = profile.split("\n").indexOf(text);
  ok(line >= 0, `no line ${text} in\n${profile}`);
  return line;
}

Deno.test("sandboxExecProfile() writes nowhere but where the policy does", () => {
  const profile = sandboxExecProfile(POLICY);
  const denied = lineOf(profile, "(deny file-write*)");
  ok(denied < lineOf(profile, '(allow file-read* file-write* (subpath "/Users/me/work"))'));
  const still = sandboxExecProfile({ ...POLICY, mode: "read-only" });
  lineOf(still, '(deny file-write* (subpath "/Users/me/work"))');
  ok(!still.includes('file-write* (subpath "/Users/me/work"))\n(allow file-read* file-write*'));
});

Deno.test("sandboxExecProfile() lets the deepest place decide, as the last rule", () => {
  const profile = sandboxExecProfile(POLICY);
  const order = [
    '(deny file-read* file-write* (subpath "/Users"))',
    '(allow file-read* (subpath "/Users/me"))',
    '(allow file-read* file-write* (subpath "/Users/me/work"))',
    '(deny file-read* file-write* (subpath "/Users/me/work/.hermes"))',
  ].map((line) => lineOf(profile, line));
  equal(order.join(), order.toSorted((a, b) => a - b).join());
});

Deno.test("sandboxExecProfile() bounds the network as the policy does", () => {
  ok(!sandboxExecProfile(POLICY).includes("network"));
  const off = sandboxExecProfile({ ...POLICY, network: "off" });
  ok(off.includes("(deny network*)") && !off.includes("allow network"));
  const loopback = sandboxExecProfile({ ...POLICY, network: "loopback" });
  ok(loopback.includes('(allow network-outbound (remote ip "localhost:*"))'));
  const hosts = { ...POLICY, network: { hosts: ["example.com"] } };
  throws(() => sandboxExecProfile(hosts), /needs the port/);
  const proxied = sandboxExecProfile(hosts, { proxyPort: 4711 });
  ok(proxied.includes('(allow network-outbound (remote ip "localhost:4711"))'));
  ok(!proxied.includes("localhost:*"));
});

Deno.test("sandboxExecProfile() quotes what a path may hold, and its brackets are in balance", () => {
  const profile = sandboxExecProfile(POLICY);
  ok(profile.includes(String.raw`(subpath "/Users/me/odd\"\\name")`));
  const bare = profile.replaceAll(/"(?:\\.|[^"\\])*"/g, "");
  equal(bare.split("(").length, bare.split(")").length);
  ok(profile.startsWith("(version 1)\n"));
});
