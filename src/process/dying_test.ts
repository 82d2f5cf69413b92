import assert from "node:assert/strict";
import { linuxTest } from "../../tests/support/linux.ts";
import { isDying, isExiting, isKilled } from "./dying.ts";

Deno.test("isKilled() sees SIGKILL among the pending signals, of the thread or of all", () => {
  const status = (own: string, shared: string) =>
    `Name:\tx\nSigQ:\t0/1\nSigPnd:\t${own}\nShdPnd:\t${shared}\nSigBlk:\t0000000000000100\n`;
  assert.equal(isKilled(status("0000000000000000", "0000000000000000")), false);
  assert.equal(isKilled(status("0000000000000100", "0000000000000000")), true);
  assert.equal(isKilled(status("0000000000000000", "0000000000004100")), true);
  assert.equal(isKilled(status("0000000000004000", "0000000000004000")), false, "SIGTERM may be");
});

Deno.test("isExiting() sees the flag of the kernel, whatever the name of the program", () => {
  const stat = (state: string, flags: number) => `7 (a) Z 4 () ${state} 1 7 7 0 -1 ${flags} 12 0\n`;
  assert.equal(isExiting(stat("S", 4194304)), false);
  assert.equal(isExiting(stat("R", 4194304 + 4)), true);
  assert.equal(isExiting(stat("Z", 4194304)), true);
});

linuxTest("isDying() tells the living from the dead", async () => {
  assert.equal(await isDying(Deno.pid), false);
  const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
  assert.equal(await isDying(child.pid), false);
  child.kill("SIGKILL");
  assert.equal(await isDying(child.pid), true);
  await child.status;
  assert.equal(await isDying(child.pid), true);
});
