/**
 * The same policy for macOS: the text of a profile for `sandbox-exec -p`. The last rule that fits
 * decides there, so places come in order of their depth. Pure; tested as text.
 */
import type { NetworkAccess, SandboxPolicy } from "../../protocol/sandbox.ts";

/** Devices and terminals that every program may use. */
const DEVICES = [
  '(literal "/dev/null")',
  '(literal "/dev/zero")',
  '(literal "/dev/tty")',
  '(literal "/dev/ptmx")',
  '(literal "/dev/dtracehelper")',
  '(regex #"^/dev/ttys[0-9]+$")',
  '(regex #"^/dev/fd/[0-9]+$")',
];

/** Private directories of other sessions, keys wherever they are. */
const NAMES = [
  '(regex #"/hermes-((env|child|ssh)-[0-9]+|remote|plugin-test)-")',
  '(regex #"/id_(rsa|dsa|ecdsa|ed25519)(_sk)?$")',
];

export interface ProfileOptions {
  /** Where the proxy of a list of hosts listens, on this machine. */
  proxyPort?: number;
}

/** The profile of a policy. @throws when hosts are listed and there is no proxy for them. */
export function sandboxExecProfile(policy: SandboxPolicy, options: ProfileOptions = {}): string {
  const lines = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* file-ioctl ${DEVICES.join(" ")})`,
    `(deny file-read* ${NAMES.join(" ")})`,
    ...placeRules(policy),
    ...networkRules(policy.network, options),
    // No program outside is signalled, inspected or driven, and no keychain is asked.
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info* (target others))",
    "(allow process-info* (target same-sandbox))",
    "(deny appleevent-send)",
    "(deny file-write-setugid)",
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd"))',
    "(deny job-creation)",
  ];
  return `${lines.join("\n")}\n`;
}

function placeRules(policy: SandboxPolicy): string[] {
  const { hidden, readable, writable, workspace, mode } = policy;
  const rules = (paths: readonly string[], make: (subpath: string) => string[]) =>
    paths.map((path) => ({ depth: depthOf(path), lines: make(`(subpath ${quoted(path)})`) }));
  const open = (subpath: string) => [`(allow file-read* file-write* ${subpath})`];
  const fixed = (subpath: string) => [
    `(allow file-read* ${subpath})`,
    `(deny file-write* ${subpath})`,
  ];
  return [
    ...rules(readable, fixed),
    ...rules(workspace, mode === "read-only" ? fixed : open),
    ...rules(writable, open),
    ...rules(hidden, (subpath) => [`(deny file-read* file-write* ${subpath})`]),
  ].sort((a, b) => a.depth - b.depth).flatMap(({ lines }) => lines);
}

function networkRules(network: NetworkAccess, { proxyPort }: ProfileOptions): string[] {
  if (network === "on") return [];
  if (network === "off") return ["(deny network*)"];
  const loopback = [
    '(allow network-bind (local ip "localhost:*"))',
    '(allow network-inbound (local ip "localhost:*"))',
    '(allow network-outbound (remote ip "localhost:*"))',
  ];
  if (network === "loopback") return ["(deny network*)", ...loopback];
  if (proxyPort === undefined) throw new Error("a list of hosts needs the port of its proxy");
  return ["(deny network*)", `(allow network-outbound (remote ip "localhost:${proxyPort}"))`];
}

function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length;
}

/** A string of the profile's language: backslashes and quotes are escaped. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
