import assert from "node:assert/strict";
import { compareFiles } from "./install.ts";

function files(content: Record<string, string | number[]>): Map<string, Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new Map(
    Object.entries(content).map(([url, value]) => [
      url,
      typeof value === "string" ? encoder.encode(value) : new Uint8Array(value),
    ]),
  );
}

Deno.test("compareFiles() shows what was added, removed and changed, and nothing else", () => {
  const before = files({ a: "same\n", b: "old\n", c: "gone\n" });
  const after = files({ a: "same\n", b: "new\n", d: "come\n" });
  const [b, c, d, ...rest] = compareFiles(before, after);
  assert.match(b!, /^--- b\n\+\+\+ b\n[\s\S]*-old\n\+new\n/);
  assert.match(c!, /^--- c\n\+\+\+ \/dev\/null\n[\s\S]*-gone/);
  assert.match(d!, /^--- \/dev\/null\n\+\+\+ d\n[\s\S]*\+come/);
  assert.deepEqual(rest, []);
});

Deno.test("compareFiles() does not pass over bytes that are no text", () => {
  const changed = compareFiles(files({ a: [0xff, 0xfe] }), files({ a: [0xfe, 0xff] }));
  assert.deepEqual(changed, ["Binary files a differ\n"]);
  assert.equal(compareFiles(files({}), files({ a: [] })).length, 1, "an empty file was added");
});
