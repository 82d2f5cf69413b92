/** Waiting for something outside this process that sends no event. */
import { sleep } from "../../src/util/sleep.ts";

const EVERY_MS = 10;
const LIMIT_MS = 20_000;

export async function pollUntil(isDone: () => Promise<boolean>, what: string): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  while (!await isDone()) {
    if (performance.now() > until) throw new Error(`${what} did not come`);
    await sleep(EVERY_MS);
  }
}
