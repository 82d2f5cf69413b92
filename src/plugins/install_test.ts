import assert from "node:assert/strict";
import { compareSources } from "./install.ts";
import type { PluginSource } from "./source.ts";

function source(
  folder: string,
  content: Record<string, string | number[]>,
  redirects: Record<string, string> = {},
): PluginSource {
  const encoder = new TextEncoder();
  const files = Object.entries(content).map(([name, value]): [string, Uint8Array<ArrayBuffer>] => [
    new URL(name, folder).href,
    typeof value === "string" ? encoder.encode(value) : new Uint8Array(value),
  ]);
  return {
    entry: `${folder}mod.ts`,
    files: new Map(files),
    redirects: new Map(Object.entries(redirects)),
  };
}

const HERE = "https://a.test/v1/";

Deno.test("compareSources() shows what was added, removed and changed, and nothing else", () => {
  const before = source(HERE, { a: "same\n", b: "old\n", c: "gone\n" });
  const after = source(HERE, { a: "same\n", b: "new\n", d: "come\n" });
  const [b, c, d, ...rest] = compareSources(before, after);
  assert.ok(b!.startsWith(`--- ${HERE}b\n+++ ${HERE}b\n`), b!);
  assert.match(b!, /-old\n\+new\n/);
  assert.ok(c!.startsWith(`--- ${HERE}c\n+++ /dev/null\n`), c!);
  assert.ok(d!.startsWith(`--- /dev/null\n+++ ${HERE}d\n`), d!);
  assert.deepEqual(rest, []);
});

Deno.test("compareSources() does not pass over bytes that are no text", () => {
  const changed = compareSources(
    source(HERE, { a: [0xff, 0xfe] }),
    source(HERE, { a: [0xfe, 0xff] }),
  );
  assert.deepEqual(changed, [`Binary files ${HERE}a and ${HERE}a differ\n`]);
  const added = compareSources(source(HERE, {}), source(HERE, { a: [] }));
  assert.equal(added.length, 1, "an empty file was added");
});

Deno.test("compareSources() compares a version with the one that has another address", () => {
  const there = "https://a.test/v2/";
  const shared = { "https://b.test/x.ts": "x\n" };
  const changed = compareSources(
    source(HERE, { "mod.ts": "same\n", "lib/a.ts": "old\n", ...shared }, { latest: HERE }),
    source(there, { "mod.ts": "same\n", "lib/a.ts": "new\n", ...shared }, { latest: there }),
  );
  assert.deepEqual(changed, [
    `--- ${HERE}lib/a.ts\n+++ ${there}lib/a.ts\n@@ -1 +1 @@\n-old\n+new\n`,
    `--- redirects\n+++ redirects\n@@ -1 +1 @@\n-latest -> ${HERE}\n+latest -> ${there}\n`,
  ]);
});
