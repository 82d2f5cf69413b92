import assert from "node:assert/strict";
import { sizeProblem } from "./check_size.ts";

Deno.test("sizeProblem() accepts a file at the limit and rejects one line more", () => {
  assert.equal(sizeProblem("src/a.ts", "x\n".repeat(400)), undefined);
  assert.match(sizeProblem("src/a.ts", "x\n".repeat(401))!, /src\/a\.ts: 401 lines, at most 400/);
});

Deno.test("sizeProblem() gives tests more room and tables no limit", () => {
  assert.equal(sizeProblem("src/a_test.ts", "x\n".repeat(800)), undefined);
  assert.notEqual(sizeProblem("tests/support/a.ts", "x\n".repeat(801)), undefined);
  assert.equal(sizeProblem("src/a_data.ts", "x\n".repeat(5000)), undefined);
  assert.equal(sizeProblem("tools/manifest.ts", "x\n".repeat(5000)), undefined);
});
