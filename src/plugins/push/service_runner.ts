/**
 * One service of one plugin: started, asked how it is, and started again after a growing pause when
 * it fails. What happens when the whole process ends is the supervisor's matter.
 */
import type { ServiceStatus } from "../../protocol/plugin.ts";
import { backoffMs, sleep } from "../../util/sleep.ts";
import type { ServiceRecord } from "../messages.ts";
import type { Plugin } from "../plugin.ts";
import { GuestError, reasonOf } from "../problem.ts";
import { inSeconds, type Intervals } from "./intervals.ts";

export interface RunnerOptions {
  plugin: Plugin;
  record: ServiceRecord;
  intervals: Intervals;
  /** Something a person may want to know: `first` for the first time in a row. */
  tell(line: string, first: boolean): void;
}

export class ServiceRunner {
  readonly #options: RunnerOptions;
  #state: ServiceStatus["state"] = "stopped";
  #reason: string | undefined;
  #starts = 0;
  #failures = 0;
  #unhealthy = 0;
  #readyAt: number | undefined;
  /** Ends the run that is under way, to begin another. */
  #renew = new AbortController();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  get status(): Omit<ServiceStatus, "plugin"> {
    return {
      name: this.#options.record.name,
      state: this.#state,
      restarts: Math.max(0, this.#starts - 1),
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
    };
  }

  /** Runs the service again and again until it returns, its process is gone, or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#state !== "ended") {
      const failure = await this.#once(signal);
      if (failure === undefined) return;
      const { intervals: { firstPauseMs, longestPauseMs, stableMs }, tell } = this.#options;
      const lasted = this.#readyAt === undefined ? 0 : performance.now() - this.#readyAt;
      if (lasted >= stableMs) this.#failures = 0;
      const pause = backoffMs(this.#failures, { baseMs: firstPauseMs, maxMs: longestPauseMs });
      this.#wait(failure);
      const { name } = this.#options.record;
      const line = `service ${name} failed: ${failure}. It starts again in ${inSeconds(pause)}`;
      tell(line, this.#failures++ === 0);
      await sleep(pause, signal).catch(() => {
        // The loop ends.
      });
    }
  }

  /** The process is gone: the service waits with it. */
  processGone(reason: string): void {
    if (this.#state !== "ended") this.#wait(reason);
  }

  stopped(): void {
    if (this.#state !== "ended") this.#state = "stopped";
  }

  /** Asks how it is; after some bad answers in a row it is started again. */
  async checkHealth(signal: AbortSignal): Promise<void> {
    const { plugin, record: { name }, intervals } = this.#options;
    if (this.#state !== "running" && this.#state !== "starting") return;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(intervals.healthTimeoutMs)]);
    let answer: unknown;
    try {
      answer = await plugin.ask({ kind: "health", name }, { signal: limited });
    } catch (error) {
      answer = limited.aborted ? "it did not say in time how it is" : reasonOf(error);
    }
    if (signal.aborted) return;
    this.#unhealthy = answer === true ? 0 : this.#unhealthy + 1;
    if (this.#unhealthy < intervals.unhealthyAfter) return;
    this.#unhealthy = 0;
    this.#renew.abort(new Unhealthy(typeof answer === "string" ? answer : "it is not well"));
  }

  /** One run. Gives why it failed; undefined when there is to be no other one here. */
  async #once(signal: AbortSignal): Promise<string | undefined> {
    const { plugin, record: { name }, intervals: { stopGraceMs: lingerMs } } = this.#options;
    this.#begin();
    const { signal: renew } = this.#renew;
    const both = AbortSignal.any([signal, renew]);
    try {
      const onReady = () => this.#ready();
      await plugin.ask({ kind: "service", name }, { signal: both, onReady, lingerMs });
      if (renew.aborted && !signal.aborted) return reasonOf(renew.reason);
      if (!signal.aborted) this.#state = "ended";
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof GuestError) return reasonOf(error);
      if (error instanceof Unhealthy) plugin.stop(`service ${name} does not end: ${error.message}`);
      // The process is gone, and whoever supervises it knows.
      return undefined;
    }
  }

  #begin(): void {
    this.#renew = new AbortController();
    this.#state = "starting";
    this.#reason = undefined;
    this.#readyAt = undefined;
    this.#unhealthy = 0;
    this.#starts++;
  }

  #ready(): void {
    if (this.#readyAt !== undefined) return;
    this.#readyAt = performance.now();
    this.#state = "running";
  }

  #wait(reason: string): void {
    this.#state = "waiting";
    this.#reason = reason;
  }
}

class Unhealthy extends Error {}
