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

Deno.test("toBaseline() keeps what means the same on every machine", () => {
  const absolute = (id: string, unit: string): Budget => {
    return { id, what: id, unit, limit: 45, values: { portable: 41.87654 }, ratios: {} };
  };
  const budgets = [budget("start", 1.23456), absolute("size", "MB"), absolute("durable", "ms")];
  assert.deepEqual(toBaseline(budgets), { start: 1.235, size: 41.877 });
});
