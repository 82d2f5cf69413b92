/**
 * The time a call may take, the wait for a person left out, joined with the caller's
 * signal into the one AbortSignal a handler sees.
 */
import { LONGEST_TIMER_MS } from "../../util/sleep.ts";

/** Reason of the abort when the time is up. */
export class CallTimeout extends Error {
  override name = "CallTimeout";
  readonly limitMs: number;
  constructor(limitMs: number) {
    super(`timed out after ${limitMs / 1000} s`);
    this.limitMs = limitMs;
  }
}

export class Deadline implements Disposable {
  #controller = new AbortController();
  #parent: AbortSignal;
  #limitMs: number;
  #leftMs: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauses = 0;
  #onAbort = () => this.#controller.abort(this.#parent.reason);

  /** Starts at once; `limitMs` 0 is no limit. */
  constructor(parent: AbortSignal, limitMs: number) {
    this.#parent = parent;
    this.#limitMs = limitMs;
    this.#leftMs = limitMs;
    if (parent.aborted) this.#onAbort();
    else parent.addEventListener("abort", this.#onAbort, { once: true });
    this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops the clock until the matching `resume`; nests. */
  pause(): void {
    if (this.#pauses++ > 0) return;
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#startedAt;
  }

  resume(): void {
    if (--this.#pauses === 0) this.#start();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#pauses = Infinity;
    this.#parent.removeEventListener("abort", this.#onAbort);
  }

  #start(): void {
    this.#startedAt = performance.now();
    if (this.#limitMs === 0) return;
    this.#timer = setTimeout(
      () => this.#controller.abort(new CallTimeout(this.#limitMs)),
      Math.min(Math.max(0, this.#leftMs), LONGEST_TIMER_MS),
    );
  }
}

/** The result of `work`; after an abort it has `graceMs` left, then the abort's reason is thrown. */
export function settleWithin<T>(
  work: Promise<T>,
  { signal, graceMs }: { signal: AbortSignal; graceMs: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function giveUp() {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    }
    function settle() {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    work.then((value) => {
      settle();
      resolve(value);
    }, (error) => {
      settle();
      reject(error);
    });
  });
}
