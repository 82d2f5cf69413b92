/** Waits with a limit. */

/** Waits for a promise, but not longer than `ms`. */
export function within(promise: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    promise.then(() => resolve(), reject).finally(() => clearTimeout(timer));
  });
}

/** How long a pipe may take to be let go of. */
const LET_GO_MS = 100;

/**
 * Gives up writing to a child. A write that is under way ends only when every reader is gone, and
 * a process that nobody knows of may be one: that is not waited for.
 */
export async function letGo(writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  const aborted = writer.abort().catch(() => {
    // The other side is gone already.
  });
  await within(aborted, LET_GO_MS);
}
