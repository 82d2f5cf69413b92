import assert from "node:assert/strict";
import { memoized } from "./memo.ts";

Deno.test("memoized() works once for one object and again for an equal one", () => {
  let calls = 0;
  const length = memoized((list: readonly number[]) => {
    calls++;
    return list.length;
  });
  const list = [1, 2];
  assert.deepEqual([length(list), length(list), length([1, 2])], [2, 2, 2]);
  assert.equal(calls, 2);
});
