import assert from "node:assert/strict";
import { exists } from "../src/util/exists.ts";
import { joinPath } from "../src/util/path.ts";
import { ROOT, typescriptFiles } from "./_tree.ts";
import { groupFiles, groupOf, permissionFlags } from "./test_groups.ts";
import { NEEDS_ALL, STARTS_PROGRAMS } from "./test_groups_data.ts";

Deno.test("groupOf() gives a file no more than it is listed for", () => {
  assert.equal(groupOf("src/text/glob_test.ts"), "plain");
  assert.equal(groupOf("scripts/gen_test.ts"), "programs");
  assert.equal(groupOf("src/process/owner_test.ts"), "system");
  assert.deepEqual(groupFiles(["scripts/b_test.ts", "src/text/a_test.ts", "scripts/a_test.ts"]), [
    { name: "plain", files: ["src/text/a_test.ts"] },
    { name: "programs", files: ["scripts/b_test.ts", "scripts/a_test.ts"] },
  ]);
});

Deno.test("the lists of groups name only what exists", async () => {
  for (const path of [...STARTS_PROGRAMS, ...NEEDS_ALL]) {
    assert.ok(await exists(`${ROOT}/${path}`), path);
  }
});

Deno.test("permissionFlags() gives everything to one group, the network to none of the others", () => {
  assert.deepEqual(permissionFlags("system", "/tmp/ht1"), ["-A"]);
  for (const group of ["plain", "programs"] as const) {
    const flags = permissionFlags(group, "/tmp/ht1");
    assert.ok(flags.includes("--allow-net=127.0.0.1,[::1],localhost"), group);
    assert.ok(flags.includes("--deny-import"), group);
    assert.ok(!flags.includes("-A"), group);
  }
  const plain = permissionFlags("plain", "/tmp/ht1");
  assert.ok(plain.includes("--allow-write=/tmp/ht1"));
  assert.ok(!plain.some((flag) => /^--allow-(run|ffi)/.test(flag)));
});

/** Code that reads what Deno gives to `-A` alone. */
const READS_PROC =
  /(?:read(?:Dir|Link|TextFile|File)(?:Sync)?|realPath(?:Sync)?|open(?:Sync)?|l?stat(?:Sync)?|exists)\(\s*["`]\/(?:proc|sys)\b/;
const IMPORTS = /(?:\bfrom|\bimport\(?)\s*"(\.{1,2}\/[^"]+)"/g;

/** The files of the project that `path` loads, itself among them; those for types are no harm. */
function loadedBy(path: string, sources: ReadonlyMap<string, string>): Set<string> {
  const found = new Set<string>();
  const visit = (file: string): void => {
    const source = sources.get(file);
    if (source === undefined || found.has(file)) return;
    found.add(file);
    for (const [statement, to] of source.matchAll(IMPORTS)) {
      // A table of what could be loaded loads nothing by itself.
      if (file.endsWith("_data.ts") && statement.includes("(")) continue;
      const start = source.lastIndexOf("\nimport", source.indexOf(statement));
      if (source.startsWith("\nimport type", start)) continue;
      visit(joinPath(file, "..", to!));
    }
  };
  visit(path);
  return found;
}

Deno.test("a test that can reach code which reads /proc is in the group that may", async () => {
  const sources = new Map<string, string>();
  for (const path of await typescriptFiles()) {
    sources.set(path, await Deno.readTextFile(`${ROOT}/${path}`));
  }
  const readers = new Set(
    [...sources.keys()].filter((path) => READS_PROC.test(sources.get(path)!)),
  );
  assert.ok(readers.has("src/process/owner.ts"));
  const tests = [...sources.keys()].filter((path) => path.endsWith("_test.ts"));
  const wrong = tests.filter((path) => groupOf(path) !== "system")
    .filter((path) => !loadedBy(path, sources).isDisjointFrom(readers));
  assert.deepEqual(
    wrong,
    [],
    "add them to NEEDS_ALL: what is denied looks like a process that is gone",
  );
});
