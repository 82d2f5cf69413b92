import assert from "node:assert/strict";
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
  const dog = new Watchdog(new AbortController().signal, { firstByteMs: 5000, idleMs: 500 });
  const ended = new Promise((resolve) => dog.signal.addEventListener("abort", resolve));
  const startedAt = performance.now();
  dog.heard();
  while (performance.now() - startedAt < 700) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    dog.heard();
  }
  assert.equal(dog.stalledMs, undefined);
  await ended;
  assert.equal(dog.stalledMs, 500);
  assert.ok(performance.now() - startedAt >= 1190);
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
