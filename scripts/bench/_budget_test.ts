import assert from "node:assert/strict";
import { isMet, measureRounds } from "./_budget.ts";

Deno.test("measureRounds() takes the quietest part, and a slow program for slow", async () => {
  // Two rounds before it counts, then three parts of three; the first two parts meet a neighbour.
  let round = -2;
  const budget = (slowness: number) =>
    measureRounds({
      id: "x",
      what: "x",
      unit: "ms",
      limit: 2,
      runs: 9,
      floor: () => Promise.resolve(++round <= 6 ? 20 : 10),
      builds: new Map([["portable", () => Promise.resolve((round <= 6 ? 90 : 15) * slowness)]]),
    });
  const quiet = await budget(1);
  assert.deepEqual([quiet.floor, quiet.ratios.portable, isMet(quiet)], [10, 1.5, true]);
  round = -2;
  assert.equal(isMet(await budget(2)), false);
});
