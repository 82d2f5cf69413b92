import assert from "node:assert/strict";
import {
  endWhenLate,
  parseSummary,
  parseUntested,
  planTests,
  Progress,
  summaryLine,
  testFiles,
} from "./test.ts";
import { linuxTest } from "../tests/support/linux.ts";
import { ROOT } from "./_tree.ts";
import { SLOW_FIRST } from "./test_order_data.ts";

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

Deno.test("planTests() tells flags and paths from filters", async () => {
  const { args, files } = await planTests(["scripts", "--no-check", "a.b()"]);
  assert.deepEqual(args.slice(-4), ["scripts", "--no-check", "--filter", "/a\\.b\\(\\)/"]);
  assert.deepEqual(args.slice(0, 4), (await planTests([])).args.slice(0, 4));
  assert.equal(files, undefined);
});

Deno.test("planTests() runs every file once, the slow ones first, checked elsewhere", async () => {
  const all = await testFiles();
  assert.equal(new Set(all).size, all.length);
  assert.ok(all.includes("scripts/test_test.ts"));
  assert.deepEqual(all.slice(0, SLOW_FIRST.length), SLOW_FIRST, "a file there is gone");
  for (const words of [[], ["--no-check"]]) {
    const { args, files } = await planTests(words);
    assert.equal(files, all.length);
    assert.deepEqual(args.slice(-all.length - 1), ["--no-check", ...all]);
  }
});

Deno.test("Progress counts files, at the end of a line only, and says how long it may take", () => {
  let now = 0;
  const progress = new Progress(50, () => now);
  const lines = Array.from({ length: 25 }, (_, i) => `./tests/${i}_test.ts => a ... ok (1ms)\n`);
  assert.equal(progress.after(lines.slice(0, 19).join("")), "");
  assert.equal(progress.after(`${lines[0]}${lines[19]}./tests/x`), "");
  now = 5 * 60_000;
  const line = "[25 of 50 files, at most 5 minutes left]\n";
  assert.equal(progress.after(lines.slice(20).join("")), line);
  assert.equal(progress.after(lines.join("")), "");
});

Deno.test("endWhenLate() ends a runner, which names the test that hangs", async () => {
  const directory = await Deno.makeTempDir({ prefix: "hermes-late-" });
  const file = `${directory}/late_test.ts`;
  await Deno.writeTextFile(
    file,
    `Deno.test("ends", () => {});
     Deno.test("hangs", async () => { console.log("begun"); await new Promise((r) => setTimeout(r, 1e9)); });
     Deno.test("has no turn", () => {});`,
  );
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--no-config", file],
    env: { NO_COLOR: "1" },
    stdout: "piped",
  }).spawn();
  let said = "";
  let late: Disposable | undefined;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes("begun")) late ??= endWhenLate(child, 0);
  }
  const { code } = await child.status;
  late?.[Symbol.dispose]();
  await Deno.remove(directory, { recursive: true });
  const pending = said.slice(said.indexOf("were pending"));
  assert.match(pending, /^hangs => /m);
  assert.doesNotMatch(pending, /ends =>|no turn/);
  assert.notEqual(code, 0);
});

/** A run of tests whose runner says it is ready and waits, in a process that can be interrupted. */
const WAITING_RUN = `
import { runTests } from "./scripts/test.ts";
const path = await Deno.makeTempDir({ prefix: "hermes-bundle-test-" });
const program = 'console.log(Deno.pid, Deno.env.get("HERMES_TEST_BUNDLE")); setInterval(() => {}, 1e6)';
const { code } = await runTests({ args: ["eval", program], files: 1 }, () => Promise.resolve({
  path,
  [Symbol.asyncDispose]: () => Deno.remove(path),
}));
Deno.exit(code);
`;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  linuxTest(`runTests() leaves no bundle and no runner behind after ${signal}`, async () => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", WAITING_RUN],
      cwd: ROOT,
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const [pid, bundle] = (await reader.read()).value!.trim().split(" ");
    assert.ok((await Deno.stat(bundle!)).isDirectory);
    child.kill(signal);
    assert.equal((await child.status).code, 130);
    await reader.cancel();
    await assert.rejects(Deno.stat(bundle!), Deno.errors.NotFound);
    await assert.rejects(Deno.stat(`/proc/${pid}`), Deno.errors.NotFound);
  });
}
