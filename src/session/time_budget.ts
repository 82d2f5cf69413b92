/** How long the turns of a session may take together. Its clock starts with the first turn. */
import { BudgetExceeded } from "../agent/budget.ts";
import { durationText } from "../util/duration.ts";
import type { StartTimer } from "./timers.ts";

export class TimeBudget {
  readonly #limitMs: number | undefined;
  readonly #timer: StartTimer;
  readonly #spent = new AbortController();
  #cancel: (() => void) | undefined;

  constructor(limitMs: number | undefined, timer: StartTimer) {
    this.#limitMs = limitMs;
    this.#timer = timer;
  }

  /** The signal of a turn that also ends when the time is up. */
  limit(signal: AbortSignal): AbortSignal {
    const ms = this.#limitMs;
    if (ms === undefined) return signal;
    this.#cancel ??= this.#timer(ms, () => {
      const text = `time budget spent: ${durationText(ms)} are over`;
      this.#spent.abort(new BudgetExceeded(text));
    });
    return AbortSignal.any([signal, this.#spent.signal]);
  }

  close(): void {
    this.#cancel?.();
  }
}
