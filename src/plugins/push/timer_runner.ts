/** One timer of a plugin: hermes keeps the time and asks the plugin, whose process may start for it. */
import { sleep } from "../../util/sleep.ts";
import type { TimerRecord } from "../messages.ts";
import type { Plugin } from "../plugin.ts";
import { reasonOf } from "../problem.ts";

export interface TimerOptions {
  plugin: Plugin;
  record: TimerRecord;
  /** Something a person may want to know: `first` for the first time in a row. */
  tell(line: string, first: boolean): void;
}

/** The longest time one run may take. */
const RUN_MS = 420_000;

export class TimerRunner {
  readonly #options: TimerOptions;
  #failures = 0;

  constructor(options: TimerOptions) {
    this.#options = options;
  }

  /** Asks at every interval until the signal is aborted; a run that lasts longer skips some. */
  async run(signal: AbortSignal): Promise<void> {
    const { everyMs } = this.#options.record;
    let dueAt = performance.now() + everyMs;
    while (!signal.aborted) {
      try {
        await sleep(Math.max(0, dueAt - performance.now()), signal);
      } catch {
        return; // Hermes ends.
      }
      await this.#once(signal);
      const missed = Math.max(0, Math.floor((performance.now() - dueAt) / everyMs));
      dueAt += (missed + 1) * everyMs;
    }
  }

  async #once(signal: AbortSignal): Promise<void> {
    const { plugin, record: { name }, tell } = this.#options;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)]);
    try {
      await plugin.ask({ kind: "timer", name }, { signal: limited });
      this.#failures = 0;
    } catch (error) {
      if (!signal.aborted) tell(`timer ${name} failed: ${reasonOf(error)}`, this.#failures++ === 0);
    }
  }
}
