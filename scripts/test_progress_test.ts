import assert from "node:assert/strict";
import { parseSummary, parseUntested, Progress, summaryLine } from "./test_progress.ts";

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

Deno.test("Progress says which group runs, what has passed and how long it may take", () => {
  let now = 0;
  const progress = new Progress(50, () => now);
  assert.equal(
    progress.startGroup("group 1 of 2"),
    "[group 1 of 2: 0 of 50 files, 0 passed, 0:00 so far]\n",
  );
  const lines = Array.from({ length: 25 }, (_, i) => `./tests/${i}_test.ts => a ... ok (1ms)\n`);
  assert.equal(progress.after(lines.slice(0, 19).join("")), "");
  assert.equal(progress.after(`${lines[0]}${lines[19]}./tests/x`), "", "a line has begun");
  now = 5 * 60_000 + 4_000;
  assert.equal(
    progress.after("_test.ts => b ... ok (1ms)\n"),
    "[group 1 of 2: 21 of 50 files, 22 passed, 5:04 so far, about 7:00 left]\n",
  );
  assert.equal(progress.after("./y_test.ts => a ... a step ... ok (1ms)\n"), "");
  assert.equal(progress.after("./y_test.ts => a ... FAILED (1ms)\n"), "");
  assert.equal(
    progress.startGroup("group 2 of 2"),
    "[group 2 of 2: 22 of 50 files, 22 passed, 1 FAILED, 5:04 so far, about 6:27 left]\n",
  );
});
