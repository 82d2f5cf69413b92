import assert from "node:assert/strict";
import { parseSummary, parseUntested, summaryLine, testArguments } from "./test.ts";

Deno.test("parseSummary() reads the runner's last summary, coloured or not", () => {
  assert.deepEqual(parseSummary("ok | 3 passed | 0 failed (1s)\n", 0), { passed: 3, failed: 0 });
  const coloured = "\x1b[0m\x1b[31mFAILED\x1b[0m | 2 passed (1 step) | 4 failed | 1 ignored\n";
  assert.deepEqual(parseSummary(coloured, 1), { passed: 2, failed: 4 });
  const nested = "ok | 9 passed | 0 failed (1s)\nmore\nok | 3 passed (5 steps) | 0 failed (1s)\n";
  assert.deepEqual(parseSummary(nested, 0), { passed: 3, failed: 0 });
});

Deno.test("parseSummary() counts a run without a summary as a failure", () => {
  assert.deepEqual(parseSummary("error: Type checking failed.", 1), { passed: 0, failed: 1 });
  assert.deepEqual(parseSummary("ok | 3 passed | 0 failed (1s)", 137), { passed: 3, failed: 1 });
});

Deno.test("parseUntested() collects the reasons why something was not tested", () => {
  const line =
    "environment docker NOT TESTED HERE: no daemon: a reason ... \x1b[33mignored\x1b[0m (0ms)";
  const untested = parseUntested(`${line}\nother ... ignored (0ms)\n./a_test.ts => ${line}\n`);
  assert.deepEqual([...untested], [["environment docker", "no daemon: a reason"]]);
  assert.equal(
    summaryLine({ passed: 3, failed: 0 }, untested.size),
    "3 passed, 0 failed, 1 skipped",
  );
  assert.equal(summaryLine({ passed: 3, failed: 1 }, 0), "3 passed, 1 failed");
});

Deno.test("testArguments() tells flags and paths from filters", async () => {
  const args = await testArguments(["scripts", "--no-check", "a.b()"]);
  assert.deepEqual(args.slice(-4), ["scripts", "--no-check", "--filter", "/a\\.b\\(\\)/"]);
  assert.deepEqual(args.slice(0, 4), (await testArguments([])).slice(0, 4));
});
