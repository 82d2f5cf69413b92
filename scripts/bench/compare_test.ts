import assert from "node:assert/strict";
import type { Budget } from "./_budget.ts";
import { regressions, toBaseline } from "./compare.ts";

function budget(id: string, ratio: number): Budget {
  const names = { id, what: id, unit: "ms", limit: 2 };
  return { ...names, floor: 10, values: { portable: 10 * ratio }, ratios: { portable: ratio } };
}

Deno.test("regressions() allows 15 % and names what is worse or missing", () => {
  const baseline = { start: 1.5, turn: 1, gone: 1 };
  assert.deepEqual(regressions(baseline, [budget("start", 1.72), budget("turn", 1.2)]), [
    "turn is 20 % worse: 1.20, was 1.00",
    "gone was not measured",
  ]);
});

Deno.test("toBaseline() keeps ratios, and values where there is no floor", () => {
  const size: Budget = {
    id: "size",
    what: "size",
    unit: "MB",
    limit: 45,
    values: { portable: 41.87654 },
    ratios: {},
  };
  assert.deepEqual(toBaseline([budget("start", 1.23456), size]), { start: 1.235, size: 41.877 });
});
