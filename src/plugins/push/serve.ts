/**
 * Everything plugins do without being called, for one surface that stays: supervisors, what plugins
 * push, platforms and the plugins' part of the HTTP ingress. Loaded only where a plugin declares any.
 */
import type {
  PlatformHandle,
  PluginBackground,
  PluginInbox,
  PluginSession,
  ServiceStatus,
  SessionRight,
} from "../../protocol/plugin.ts";
import type { Plugin } from "../plugin.ts";
import type { Pushed } from "./declared.ts";
import { EventIntake } from "./event_intake.ts";
import { Ingress } from "./ingress.ts";
import { INTERVALS, type Intervals } from "./intervals.ts";
import { platformHandle } from "./platforms.ts";
import { Supervisor } from "./supervisor.ts";

/** A plugin that declares something, and what of it counts. */
export interface BackgroundPlugin {
  id: string;
  plugin: Plugin;
  allowed: Pushed;
  /** What it may do in sessions. */
  sessionRights: readonly SessionRight[];
  turnsPerMinute: number;
}

export interface ServeOptions {
  /** Sessions that use the plugins, by id; they come and go. */
  sessions: ReadonlyMap<string, PluginSession>;
  inbox?: PluginInbox | undefined;
  intervals?: Partial<Intervals> | undefined;
  /** Takes secrets out of text for the model and for those who watch. */
  clean(text: string): string;
  report(line: string): void;
  log(line: string): void;
}

export class PushServer implements PluginBackground {
  readonly platforms: readonly PlatformHandle[];
  readonly routes: readonly string[];
  readonly #supervisors: readonly Supervisor[];
  readonly #intakes: EventIntake[] = [];
  readonly #ingress: Ingress;
  readonly #stop = new AbortController();
  #closing: Promise<void> | undefined;

  /** Starts services and timers. */
  constructor(plugins: readonly BackgroundPlugin[], options: ServeOptions) {
    const { clean, report, log } = options;
    const intervals = { ...INTERVALS, ...options.intervals };
    this.platforms = plugins.flatMap((one) =>
      one.allowed.platforms.map((facts) => platformHandle(one, facts))
    );
    this.routes = plugins.flatMap(({ id, allowed }) => {
      return allowed.routes.map(({ path }) => `/plugins/${id}${path}`);
    });
    const routed = plugins.map(({ id, plugin, allowed }) => ({ id, plugin, ...allowed }));
    this.#ingress = new Ingress(routed, { log, timeoutMs: intervals.requestMs });
    this.#supervisors = plugins.map(({ id, plugin, allowed, sessionRights, turnsPerMinute }) => {
      const intake = new EventIntake({
        plugin: id,
        rights: sessionRights,
        platforms: allowed.platforms.map(({ name }) => name),
        turnsPerMinute,
        sessions: options.sessions,
        inbox: options.inbox,
        clean,
        report,
        signal: this.#stop.signal,
      });
      this.#intakes.push(intake);
      return new Supervisor({ id, plugin, allowed, intake, intervals, report, log });
    });
    for (const supervisor of this.#supervisors) supervisor.start();
  }

  get services(): readonly ServiceStatus[] {
    return this.#supervisors.flatMap(({ services }) => services);
  }

  async handle(request: Request): Promise<Response> {
    return await this.#ingress.handle(request);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    await Promise.all(this.#supervisors.map((supervisor) => supervisor.close()));
    this.#stop.abort(new Error("hermes ends"));
    await Promise.all(this.#intakes.map(({ settled }) => settled));
  }
}
