import assert from "node:assert/strict";
import { FakeTime } from "./fake_time.ts";

Deno.test("FakeTime fires timers in their order, each at its own time", async () => {
  const said: string[] = [];
  {
    using time = new FakeTime();
    const beganAt = performance.now();
    const say = (text: string) => said.push(`${text} ${performance.now() - beganAt}`);
    setTimeout(say, 2_000, "second");
    setTimeout(() => setTimeout(say, 500, "nested"), 1_000);
    const interval = setInterval(say, 1_000, "every");
    clearTimeout(setTimeout(say, 10, "never"));
    await time.tick(2_500);
    clearInterval(interval);
    assert.equal(time.waiting, 0);
  }
  assert.deepEqual(said, ["every 1000", "nested 1500", "second 2000", "every 2000"]);
});

Deno.test("FakeTime moves dates and signals, and gives the real clock back", async () => {
  const real = Date.now();
  {
    using time = new FakeTime();
    const signal = AbortSignal.timeout(3_600_000);
    await time.tick(3_599_999);
    assert.equal(signal.aborted, false);
    await time.tick(1);
    assert.equal(signal.reason.name, "TimeoutError");
    assert.ok(Date.now() - real >= 3_600_000);
  }
  assert.ok(Date.now() - real < 60_000);
  await new Promise((resolve) => setTimeout(resolve, 1));
});

Deno.test("FakeTime.until() waits for programs, and passes a failure on", async () => {
  using time = new FakeTime();
  const child = new Deno.Command(Deno.execPath(), { args: ["--version"], stdout: "null" }).spawn();
  assert.equal((await time.until(child.status)).code, 0);
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 60_000));
  await assert.rejects(time.until(late), /late/);
});
