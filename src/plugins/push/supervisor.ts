/**
 * One plugin that works without being called: its process is started, watched and, when it ends,
 * started again after a growing pause; its services and timers run meanwhile. Never gives up, and
 * touches no other plugin.
 */
import type { ServiceStatus } from "../../protocol/plugin.ts";
import { backoffMs, sleep } from "../../util/sleep.ts";
import type { Plugin } from "../plugin.ts";
import { CpuWatch } from "./cpu_watch.ts";
import type { Pushed } from "./declared.ts";
import type { EventIntake } from "./event_intake.ts";
import { inSeconds, type Intervals } from "./intervals.ts";
import { ServiceRunner } from "./service_runner.ts";
import { TimerRunner } from "./timer_runner.ts";

export interface SupervisorOptions {
  id: string;
  plugin: Plugin;
  allowed: Pushed;
  intake: EventIntake;
  intervals: Intervals;
  /** A line the person must see. */
  report(line: string): void;
  /** The same as diagnostics. */
  log(line: string): void;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #services: ServiceRunner[];
  readonly #timers: TimerRunner[];
  readonly #stop = new AbortController();
  readonly #cpu = new CpuWatch();
  readonly #work = new Set<Promise<void>>();
  /** Ends with the process that is running. */
  #generation = new AbortController();
  #failures = 0;
  #lastReason: string | undefined;

  constructor(options: SupervisorOptions) {
    const { plugin, allowed, intervals, id } = options;
    const tell = (line: string, first: boolean) =>
      first ? options.report(`Plugin ${id}: ${line}`) : options.log(`${id}: ${line}`);
    this.#options = options;
    this.#services = allowed.services.map((record) => {
      return new ServiceRunner({ plugin, record, intervals, tell });
    });
    this.#timers = allowed.timers.map((record) => new TimerRunner({ plugin, record, tell }));
  }

  get services(): ServiceStatus[] {
    return this.#services.map(({ status }) => ({ plugin: this.#options.id, ...status }));
  }

  /** Begins; waits for nothing. */
  start(): void {
    const { plugin, intake } = this.#options;
    plugin.supervise({
      onGone: (reason) => this.#gone(reason),
      onEvent: (event) => intake.take(event),
    });
    this.#startServices();
    const { signal } = this.#stop;
    for (const timer of this.#timers) this.#track(timer.run(signal));
    this.#track(this.#watch(signal));
  }

  /** Ends services and timers; resolves when they have ended or their time is up. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("hermes ends"));
    this.#generation.abort(this.#stop.signal.reason);
    await Promise.all(this.#work);
    for (const service of this.#services) service.stopped();
    this.#options.plugin.supervise(undefined);
    this.#options.plugin.release();
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  #startServices(): void {
    if (this.#services.length === 0) return;
    const { plugin } = this.#options;
    this.#generation = new AbortController();
    const { signal } = this.#generation;
    const run = async () => {
      try {
        await plugin.start();
      } catch {
        return; // `onGone` was told.
      }
      await Promise.all(this.#services.map((service) => service.run(signal)));
    };
    this.#track(run());
  }

  #gone(reason: string): void {
    const { id, plugin, intervals, report, log } = this.#options;
    if (this.#stop.signal.aborted) return;
    this.#generation.abort(new Error(reason));
    if (plugin.upMs >= intervals.stableMs) this.#failures = 0;
    const pause = backoffMs(this.#failures++, {
      baseMs: intervals.firstPauseMs,
      maxMs: intervals.longestPauseMs,
    });
    for (const service of this.#services) service.processGone(reason);
    plugin.hold(`it ended and is started again after a pause: ${reason}`);
    const line = `${reason}. It starts again in ${inSeconds(pause)}`;
    const isNews = this.#failures === 1 || reason !== this.#lastReason;
    this.#lastReason = reason;
    if (isNews) report(`Plugin ${id}: ${line}`);
    else log(`${id}: ${line}`);
    this.#track(this.#revive(pause));
  }

  async #revive(pause: number): Promise<void> {
    try {
      await sleep(pause, this.#stop.signal);
    } catch {
      return; // Hermes ends.
    }
    this.#options.plugin.release();
    this.#startServices();
  }

  /** Looks at services and CPU time from time to time. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { plugin, intervals } = this.#options;
    while (!signal.aborted) {
      try {
        await sleep(intervals.healthEveryMs, signal);
      } catch {
        return; // Hermes ends.
      }
      const { pid } = plugin;
      const excess = pid === undefined ? undefined : this.#cpu.check(pid);
      if (excess !== undefined) plugin.stop(excess);
      else await Promise.all(this.#services.map((service) => service.checkHealth(signal)));
    }
  }
}
