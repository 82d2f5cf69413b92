/** A wait with a limit. */

/** Waits for a promise, but not longer than `ms`. */
export function within(promise: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    promise.then(() => resolve(), reject).finally(() => clearTimeout(timer));
  });
}
