import { deepEqual, equal } from "node:assert/strict";
import { KeyPresses } from "./interrupt.ts";

Deno.test("KeyPresses takes a press and its echo for one, and a later one for another", async () => {
  const presses = new KeyPresses();
  deepEqual([presses.count(), presses.count(), presses.count()], [true, false, false]);
  await presses.settled();
  equal(presses.count(), true);
});
