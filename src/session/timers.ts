/** Waiting for a session by a clock that tests can turn. */
import { LONGEST_TIMER_MS } from "../util/sleep.ts";

/** Calls `ring` after `ms`; returns what cancels that. */
export type StartTimer = (ms: number, ring: () => void) => () => void;

/** A timer of the machine. */
export function startTimer(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, Math.min(ms, LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
}

/** Waits until the session is idle, at most this long. */
export async function settledWithin(
  session: { readonly idle: Promise<void>; readonly isRunning: boolean },
  { ms, timer }: { ms: number; timer: StartTimer },
): Promise<void> {
  // The first timer of a process costs milliseconds: not for a session that is idle anyway.
  if (!session.isRunning) return;
  const late = Promise.withResolvers<void>();
  const cancel = timer(ms, late.resolve);
  await Promise.race([session.idle, late.promise]);
  cancel();
}
