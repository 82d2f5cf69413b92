/** Waiting in turn, and waiting for an answer that may never come. */
import { LONGEST_TIMER_MS } from "../util/sleep.ts";

/** Lets one task through at a time, in the order they came. */
export class FifoLock {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `task` after those before it. Rejects with the signal's reason when aborted while waiting. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let leave = () => {};
    this.#last = new Promise<void>((resolve) => leave = resolve);
    try {
      await untilAborted(before, signal);
      return await task();
    } finally {
      // Whoever gave up waiting must still not let the next one pass those before it.
      before.then(leave);
    }
  }
}

export type Settled<T> =
  | { kind: "value"; value: T }
  | { kind: "timeout" }
  | { kind: "failure" };

/**
 * The result of `work`, bounded in time; its failure is a result too.
 * Rejects only when `signal` aborts.
 */
export async function settleOrAbort<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Settled<T>> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
  const both = AbortSignal.any([signal, limit.signal]);
  try {
    return { kind: "value", value: await untilAborted(work(both), both) };
  } catch {
    // Told apart below: whoever aborted first decided, else the work itself failed.
    signal.throwIfAborted();
    return { kind: limit.signal.aborted ? "timeout" : "failure" };
  } finally {
    clearTimeout(timer);
  }
}

/** `promise`, unless the signal aborts first; leaves no listener behind. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
