import assert from "node:assert/strict";
import { sha256Hex } from "../../../util/hash.ts";
import { compareVersions, fetchFile, fetchRelease, mayLead } from "./release.ts";

Deno.test("compareVersions() orders by number, and a pre-release before its release", () => {
  const ordered = ["0.9.0", "0.10.0-alpha", "0.10.0-rc.2", "0.10.0-rc.10", "0.10.0", "1.0.0"];
  for (let i = 1; i < ordered.length; i++) {
    assert.ok(compareVersions(ordered[i - 1]!, ordered[i]!) < 0, `${ordered[i - 1]} ${ordered[i]}`);
    assert.ok(compareVersions(ordered[i]!, ordered[i - 1]!) > 0);
  }
  assert.equal(compareVersions("1.2.3", "1.2.3"), 0);
});

const PROGRAM = new TextEncoder().encode("#!/bin/sh\n");
const FILE = { file: "hermes-x", sha256: await sha256Hex(PROGRAM), size: PROGRAM.length };

/** Asks a server that answers with `handler` for a release and its file. */
async function update(handler: (path: string) => Response, version?: string): Promise<number> {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url }) => handler(new URL(url).pathname),
  );
  const release = await fetchRelease(`http://127.0.0.1:${server.addr.port}/r`, version);
  return (await fetchFile(release, release.files["x"]!)).length;
}

function publish(manifest: unknown, bytes: BodyInit = PROGRAM): (path: string) => Response {
  return (path) => path.endsWith("manifest.json") ? Response.json(manifest) : new Response(bytes);
}

function endless(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
}

Deno.test("fetchRelease() and fetchFile() take a sound release, redirects on the way included", async () => {
  const serve = publish({ version: "9.0.0", files: { x: FILE } });
  assert.equal(await update(serve, "9.0.0"), PROGRAM.length);
  const moved = (path: string) =>
    path.includes("/else/")
      ? serve(path)
      : new Response(null, { status: 302, headers: { location: `/else${path}` } });
  assert.equal(await update(moved), PROGRAM.length);
});

Deno.test("fetchRelease() follows no redirect out of https, and none without end", async () => {
  const to = (location: string) => () => new Response("", { status: 307, headers: { location } });
  for (
    const place of ["http://198.51.100.7/r", "ftp://127.0.0.1/r", "data:,x", "file:///etc/hosts"]
  ) {
    await assert.rejects(update(to(place)), /which is no https address/);
  }
  await assert.rejects(update(to("/again")), /more than 10 redirects/);
  const url = (text: string) => URL.parse(text);
  const [secure, local] = [url("https://a.example/r"), url("http://localhost:1/r")];
  assert.ok(mayLead(secure, url("https://b.example/")) && mayLead(local, url("http://127.0.0.1/")));
  assert.ok(!mayLead(secure, url("http://a.example/r")) && !mayLead(secure, local));
  assert.ok(!mayLead(local, url("http://127.0.0.1.evil.example/")) && !mayLead(local, null));
});

Deno.test("fetchRelease() takes no other version than the one that was asked for", async () => {
  const serve = publish({ version: "0.0.1", files: { x: FILE } });
  await assert.rejects(update(serve, "5.0.0"), /asked for 5\.0\.0, the release says .* 0\.0\.1/);
  await assert.rejects(update(serve, "../../0.0.1"), /asked for/);
});

Deno.test("fetchRelease() refuses a manifest whose values only look right", async () => {
  const files = (change: object) => ({ version: "9.0.0", files: { x: { ...FILE, ...change } } });
  const bad = [
    { version: ["9.0.0"], files: { x: FILE } },
    { version: "9.0.0\n1", files: { x: FILE } },
    files({ file: ["hermes-x"] }),
    files({ file: ".." }),
    files({ file: "../x" }),
    files({ size: "10" }),
    files({ size: 1e12 }),
    files({ sha256: [FILE.sha256] }),
  ];
  for (const manifest of bad) await assert.rejects(update(publish(manifest)), /makes no sense/);
});

Deno.test("fetchFile() reads no more than the manifest names", async () => {
  await assert.rejects(
    update(publish({ version: "9.0.0", files: { x: FILE } }, endless())),
    /more than 10 bytes/,
  );
  await assert.rejects(update(() => new Response(endless())), /more than 1048576 bytes/);
});
