import assert from "node:assert/strict";
import { backoffMs, sleep } from "./sleep.ts";

Deno.test("backoffMs() doubles up to its limit and spreads over the upper half", () => {
  const options = { baseMs: 100, maxMs: 1000 };
  const least = [0, 1, 2, 3, 4, 9].map((n) => backoffMs(n, { ...options, random: () => 0 }));
  assert.deepEqual(least, [50, 100, 200, 400, 500, 500]);
  const most = [0, 1, 2, 3, 4, 9].map((n) => backoffMs(n, { ...options, random: () => 1 }));
  assert.deepEqual(most, [100, 200, 400, 800, 1000, 1000]);
  const waits = new Set(Array.from({ length: 50 }, () => backoffMs(3, options)));
  assert.ok(waits.size > 10, "the waits of many clients must not be the same");
});

Deno.test("sleep() ends with the signal's reason and leaves no timer behind", async () => {
  const abort = new AbortController();
  const waiting = sleep(60_000, abort.signal);
  abort.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(sleep(60_000, abort.signal), /enough/);
  await sleep(1, new AbortController().signal);
});
