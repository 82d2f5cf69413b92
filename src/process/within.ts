/** Waits with a limit. */

/** Waits for a promise, but not longer than `ms`. */
export function within(promise: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    promise.then(() => resolve(), reject).finally(() => clearTimeout(timer));
  });
}

/** How long aborting a write may take. */
const ABANDON_MS = 100;

/**
 * Gives up writing to a child. A write that is under way ends only when every reader is gone, and
 * a process unknown to hermes may hold the pipe: its end is not waited for.
 */
export async function abandonWriter(
  writer: WritableStreamDefaultWriter<Uint8Array>,
): Promise<void> {
  const aborted = writer.abort().catch(() => {
    // The other side is gone already.
  });
  await within(aborted, ABANDON_MS);
}
