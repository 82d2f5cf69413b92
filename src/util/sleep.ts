/** Waiting that an AbortSignal can end, and the jittered backoff retries share. */

/** What a timer of the runtime can count; a longer one would ring at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `ms`; rejects with the signal's reason when aborted. Leaves no timer behind. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, Math.min(ms, LONGEST_TIMER_MS));
    function stop() {
      clearTimeout(timer);
      reject(signal!.reason);
    }
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Exponential backoff with full jitter in the upper half: attempt 0 waits `baseMs/2`…`baseMs`. */
export function backoffMs(
  attempt: number,
  options: { baseMs: number; maxMs: number; random?: () => number },
): number {
  const ceiling = Math.min(options.maxMs, options.baseMs * 2 ** attempt);
  return Math.round(ceiling / 2 + (options.random ?? Math.random)() * ceiling / 2);
}
