/** Depth of foreign JSON: what is too deep is told without going there. */
import assert from "node:assert/strict";
import { isDeeperThan } from "./json_depth.ts";

function nested(open: string, close: string, levels: number): unknown {
  return JSON.parse(open.repeat(levels) + (open === "[" ? "" : "1") + close.repeat(levels));
}

Deno.test("isDeeperThan() counts lists and objects alike, and not what they hold", () => {
  assert.equal(isDeeperThan("text", 0), false);
  assert.equal(isDeeperThan(null, 0), false);
  assert.equal(isDeeperThan([1, "a", null], 1), false);
  assert.equal(isDeeperThan([1, [2]], 1), true);
  assert.equal(isDeeperThan({ a: [{ b: 1 }] }, 3), false);
  assert.equal(isDeeperThan({ a: [{ b: 1 }] }, 2), true);
  for (const [open, close] of [["[", "]"], ['{"a":', "}"]] as const) {
    assert.equal(isDeeperThan(nested(open, close, 64), 64), false);
    assert.equal(isDeeperThan(nested(open, close, 65), 64), true);
    assert.equal(isDeeperThan(nested(open, close, 200_000), 64), true);
  }
});

Deno.test("isDeeperThan() finds the one deep branch among many shallow ones", () => {
  const value = [...Array.from({ length: 1000 }, () => ({ a: [1] })), nested("[", "]", 1000)];
  assert.equal(isDeeperThan(value, 500), true);
  assert.equal(isDeeperThan(value.slice(0, -1), 3), false);
});
