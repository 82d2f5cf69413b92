import assert from "node:assert/strict";
import { EnvironmentError, HermesError, UsageError } from "../protocol/error.ts";
import { describeError } from "./error_line.ts";

Deno.test("describeError() prints message and hint of an expected failure without a stack", () => {
  const error = new UsageError("no prompt", { hint: "Say what to do." });
  assert.deepEqual(describeError(error, { verbose: false }), {
    text: "hermes: no prompt\n  Say what to do.\n",
    exitCode: 2,
  });
  assert.equal(
    describeError(new HermesError("x", { exitCode: 5 }), { verbose: false }).exitCode,
    5,
  );
});

Deno.test("describeError() prints the message of a broken environment", () => {
  assert.deepEqual(describeError(new EnvironmentError("docker is down"), { verbose: false }), {
    text: "hermes: docker is down\n",
    exitCode: 1,
  });
});

Deno.test("describeError() folds an unexpected failure into one line", () => {
  const report = describeError(new TypeError("a\n  b"), { verbose: false });
  assert.equal(
    report.text,
    "hermes: internal error: TypeError: a b\n  Run again with --verbose for the stack trace.\n",
  );
  assert.equal(report.exitCode, 1);
  assert.match(describeError("text", { verbose: false }).text, /internal error: text/);
});

Deno.test("describeError() shows the stack when verbose", () => {
  assert.match(describeError(new EnvironmentError("x"), { verbose: true }).text, /error_line_test/);
});
