import assert from "node:assert/strict";
import { CpuWatch, groupCpuSeconds } from "./cpu_watch.ts";

Deno.test("check() allows any total at a modest rate, and stops what is busy all the time", () => {
  let [now, used] = [0, 0];
  const watch = new CpuWatch({ now: () => now, read: () => used });
  // Two months at a third of a core.
  for (let minute = 0; minute < 60 * 24 * 60; minute++) {
    now += 60_000;
    used += 20;
    assert.equal(watch.check(1), undefined);
  }
  let minutes = 0;
  let reason: string | undefined;
  while (reason === undefined && minutes < 60) {
    minutes++;
    now += 60_000;
    used += 60;
    reason = watch.check(1);
  }
  assert.ok(minutes >= 9 && minutes <= 11, String(minutes));
  assert.match(reason!, /more CPU time than it may: 300 s at once and 30 s a minute/);
});

Deno.test("check() begins again with a new process", () => {
  let used = 250;
  const watch = new CpuWatch({ now: () => 0, read: () => used });
  assert.equal(watch.check(1), undefined);
  used = 40;
  assert.equal(watch.check(2), undefined);
  used = 60;
  assert.match(watch.check(2)!, /CPU time/);
});

Deno.test("groupCpuSeconds() counts the processes of a group", async () => {
  if (Deno.build.os !== "linux") return console.log("there is no /proc here");
  const child = new Deno.Command("sh", {
    args: ["-c", "(while :; do :; done) & wait"],
    detached: true,
    stdin: "null",
  }).spawn();
  try {
    const end = performance.now() + 20_000;
    while ((groupCpuSeconds(child.pid) ?? 0) === 0) {
      assert.ok(performance.now() < end, "the loop takes time");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  } finally {
    Deno.kill(-child.pid, "SIGKILL");
    await child.status;
  }
});
