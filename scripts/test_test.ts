import assert from "node:assert/strict";
import { planTests, testFiles } from "./test.ts";
import { SLOW_FIRST } from "./test_order_data.ts";

Deno.test("planTests() tells flags and paths from filters", async () => {
  const { args, groups, isWhole } = await planTests(["./scripts/gen_test.ts", "-q", "a.b()"]);
  assert.deepEqual(args, ["-q", "--filter", "/a\\.b\\(\\)/"]);
  assert.deepEqual(groups, [{ name: "programs", files: ["scripts/gen_test.ts"] }]);
  assert.equal(isWhole, false);
  const inFolder = (await planTests(["src/util"])).groups.flatMap(({ files }) => files);
  assert.ok(inFolder.includes("src/util/sleep_test.ts"));
  assert.ok(inFolder.every((path) => path.startsWith("src/util/")));
  assert.deepEqual((await planTests(["docs"])).groups, [], "a folder without tests");
});

Deno.test("planTests() runs every file once, the slow ones first, checked elsewhere", async () => {
  const all = await testFiles();
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.includes("scripts/test_test.ts"));
  assert.deepEqual(all.slice(0, SLOW_FIRST.length), SLOW_FIRST, "a file there is gone");
  for (const words of [[], ["--no-check"]]) {
    const { args, groups, isWhole } = await planTests(words);
    assert.ok(isWhole);
    assert.deepEqual(args, ["--no-check"]);
    assert.deepEqual(groups.flatMap(({ files }) => files).sort(), all.toSorted());
    const system = groups.find(({ name }) => name === "system")!.files;
    const slow = SLOW_FIRST.filter((path) => system.includes(path));
    assert.deepEqual(system.slice(0, slow.length), slow);
  }
});
