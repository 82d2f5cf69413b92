/**
 * Ends a request when its caller aborts or when the server stays silent too long. Its clock
 * is `AbortSignal.timeout`: the first `setTimeout` of a process costs 6 ms, which would come
 * right before the first request.
 */

export interface StreamTimeouts {
  /** Until the first byte of the answer. */
  firstByteMs: number;
  /** Between two pieces of the answer. */
  idleMs: number;
}

const DEFAULT_TIMEOUTS: StreamTimeouts = { firstByteMs: 120_000, idleMs: 60_000 };

export class Watchdog {
  #controller = new AbortController();
  #caller: AbortSignal;
  #idleMs: number;
  #limitMs: number;
  #heardAt = performance.now();
  #clock: AbortSignal | undefined;
  #onAbort = () => this.#controller.abort(this.#caller.reason);
  #onClock = () => this.#look();
  /** How long the silence was that ended the request. */
  stalledMs: number | undefined;

  constructor(caller: AbortSignal, timeouts: StreamTimeouts = DEFAULT_TIMEOUTS) {
    this.#caller = caller;
    this.#idleMs = timeouts.idleMs;
    this.#limitMs = timeouts.firstByteMs;
    caller.addEventListener("abort", this.#onAbort, { once: true });
    // Whatever is heard until then, one look is enough for an answer that comes at once.
    this.#lookIn(Math.min(this.#limitMs, this.#idleMs));
  }

  /** Aborted when the request must end, for whatever reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The server sent something. */
  heard(): void {
    this.#heardAt = performance.now();
    this.#limitMs = this.#idleMs;
  }

  /** Lets go of the clock and the caller. */
  stop(): void {
    this.#caller.removeEventListener("abort", this.#onAbort);
    this.#stopClock();
  }

  #lookIn(ms: number): void {
    this.#stopClock();
    this.#clock = AbortSignal.timeout(Math.ceil(ms));
    this.#clock.addEventListener("abort", this.#onClock);
  }

  /** A clock with a listener keeps the process alive until it rings; without one it does not. */
  #stopClock(): void {
    this.#clock?.removeEventListener("abort", this.#onClock);
  }

  #look(): void {
    const leftMs = this.#limitMs - (performance.now() - this.#heardAt);
    if (leftMs > 1) return this.#lookIn(leftMs);
    this.stalledMs = this.#limitMs;
    this.#controller.abort();
  }
}
