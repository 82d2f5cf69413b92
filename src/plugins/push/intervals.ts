/** The times that supervise plugins in the background: health checks, pauses, grace. */

export interface Intervals {
  /** From one look at a service to the next. */
  healthEveryMs: number;
  /** How long it may take to say how it is. */
  healthTimeoutMs: number;
  /** Bad answers in a row before a service is started again. */
  unhealthyAfter: number;
  /** The pause before something that failed is started again: it doubles up to the longest. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** What ran that long before it failed begins with the first pause again. */
  stableMs: number;
  /** How long a service may take to end when it is asked to. */
  stopGraceMs: number;
  /** For an HTTP request and its answer together. */
  requestMs: number;
}

export const INTERVALS: Readonly<Intervals> = {
  healthEveryMs: 30_000,
  healthTimeoutMs: 10_000,
  unhealthyAfter: 3,
  firstPauseMs: 1_000,
  longestPauseMs: 300_000,
  stableMs: 60_000,
  stopGraceMs: 2_000,
  requestMs: 30_000,
};

/** A pause in words. */
export function inSeconds(ms: number): string {
  return ms < 10_000 ? `${Math.max(0.1, ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
