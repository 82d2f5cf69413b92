import assert from "node:assert/strict";
import { FakeTime } from "../../tests/support/fake_time.ts";
import { Watchdog } from "./watchdog.ts";

Deno.test("Watchdog.stop() leaves nothing behind that keeps the process alive", async () => {
  const module = new URL("./watchdog.ts", import.meta.url).href;
  const script = `import { Watchdog } from "${module}";
    const dog = new Watchdog(new AbortController().signal, { firstByteMs: 60000, idleMs: 30000 });
    dog.heard();
    dog.stop();`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "--no-config", `data:application/typescript,${encodeURIComponent(script)}`],
    signal: AbortSignal.timeout(20_000),
  });
  const { code, stderr } = await child.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
});

Deno.test("Watchdog.heard() moves the time limit on", async () => {
  using time = new FakeTime();
  const dog = new Watchdog(new AbortController().signal, { firstByteMs: 5_000, idleMs: 500 });
  for (let i = 0; i < 10; i++) {
    dog.heard();
    await time.tick(499);
  }
  assert.equal(dog.stalledMs, undefined);
  dog.heard();
  await time.tick(499);
  assert.equal(dog.signal.aborted, false);
  await time.tick(1);
  assert.equal(dog.signal.aborted, true);
  assert.equal(dog.stalledMs, 500);
  dog.stop();
});

Deno.test("Watchdog.signal follows the caller's, with its reason", () => {
  const caller = new AbortController();
  const dog = new Watchdog(caller.signal);
  const reason = new Error("enough");
  caller.abort(reason);
  assert.equal(dog.signal.reason, reason);
  dog.stop();
});
