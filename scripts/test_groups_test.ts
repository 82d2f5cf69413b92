import assert from "node:assert/strict";
import { exists } from "../src/util/exists.ts";
import { ROOT } from "./_tree.ts";
import { groupFiles, groupOf, permissionFlags } from "./test_groups.ts";
import { NEEDS_ALL, STARTS_PROGRAMS } from "./test_groups_data.ts";

Deno.test("groupOf() gives a file no more than it is listed for", () => {
  assert.equal(groupOf("src/text/glob_test.ts"), "plain");
  assert.equal(groupOf("scripts/test_test.ts"), "programs");
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
