import assert from "node:assert/strict";
import { stampOf } from "./kept_disk.ts";
import { CommandTimes } from "./kept_search.ts";

const INFO: Deno.FileInfo = Deno.statSync(".");

function changedAt(ctimeMs: number, bornAtMs: number) {
  return stampOf({ ...INFO, ctime: new Date(ctimeMs), birthtime: new Date(bornAtMs) });
}

Deno.test("CommandTimes.covers() is true for changes while a command ran", () => {
  const times = new CommandTimes();
  assert.equal(times.covers(changedAt(10_000, 10_500)), false);
  times.start(10_200);
  times.end(15_800);
  assert.equal(times.covers(changedAt(12_000, 1_000)), true);
  assert.equal(times.covers(changedAt(9_000, 1_000)), false);
  assert.equal(times.covers(changedAt(17_000, 17_500)), false);
  times.start(30_000);
  assert.equal(times.covers(changedAt(90_000, 90_000)), true);
});

Deno.test("CommandTimes.covers() goes by the time of making where seconds cannot tell", () => {
  const times = new CommandTimes();
  times.start(10_200);
  times.end(15_400);
  assert.equal(times.covers(changedAt(10_000, 10_100)), false);
  assert.equal(times.covers(changedAt(10_000, 10_300)), true);
  assert.equal(times.covers(changedAt(15_000, 15_300)), true);
  assert.equal(times.covers(changedAt(15_000, 15_700)), false);
});

Deno.test("CommandTimes.isMade() is true for directories of a command", () => {
  const times = new CommandTimes();
  times.start(10_200);
  times.end(15_400);
  const made = (at: number) => times.isMade({ ...INFO, birthtime: new Date(at) });
  assert.deepEqual([10_000, 10_300, 15_300, 16_000].map(made), [false, true, true, false]);
});
