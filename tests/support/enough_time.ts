/** Time limits in tests: short where the machine is free, long enough where it is busy. */

/** How many times as long the next try may take. */
const FACTOR = 6;
const TRIES = 3;

export interface Trial<T> {
  /** The first limit; later ones are longer. */
  timeoutMs: number;
  run(timeoutMs: number): Promise<T>;
  /** False when the time was up before the program had done what the test is about. */
  hasBegun(result: T): boolean;
}

/** The result of the first run whose time was enough to begin, or of the last. */
export async function withEnoughTime<T>(
  { timeoutMs, run, hasBegun }: Trial<T>,
): Promise<{ result: T; timeoutMs: number }> {
  for (let left = TRIES;; left--, timeoutMs *= FACTOR) {
    const result = await run(timeoutMs);
    if (left === 1 || hasBegun(result)) return { result, timeoutMs };
  }
}
