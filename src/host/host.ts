/**
 * One per process: owns what sessions share (settings, the open store, the base catalogue of
 * tools, plugin processes, model routes, clock) and opens sessions for any surface. Knows nothing
 * of terminals, HTTP or chats; what belongs to one session is in `src/session`.
 */
import { TOOL_MANIFEST } from "../../tools/manifest.ts";
import type { Settings } from "../config/load.ts";
import type { CommandUse } from "../plugins/calls.ts";
import type { PluginHost } from "../plugins/plugin_host.ts";
import type { OpenPluginsOptions } from "../plugins/open.ts";
import { HermesError, UsageError } from "../protocol/error.ts";
import type { EndReason } from "../protocol/event.ts";
import type { PluginInbox } from "../protocol/plugin.ts";
import type { SessionSpec, SurfacePolicy } from "../protocol/session_spec.ts";
import { holdChildren } from "../process/children.ts";
import { registry as catalogue, type ToolRegistry } from "../registry/registry.ts";
import { type Cassette, openCassette } from "../session/cassette.ts";
import type { FindRoute } from "../session/model_choice.ts";
import { openSession } from "../session/open.ts";
import { findRecord } from "../session/records.ts";
import type { Session } from "../session/session.ts";
import { type StartTimer, startTimer } from "../session/timers.ts";
import type { SessionRecord } from "../store/record.ts";
import { Store } from "../store/store.ts";
import { firstDirectory } from "./directory.ts";
import type { PluginSets } from "./plugin_sets.ts";
import { RouteTable } from "./routes.ts";
import { settingsFor } from "./session_settings.ts";
import { requireSpec } from "./spec_check.ts";
import { surfacePolicy } from "./surfaces_data.ts";

export interface HostOptions {
  settings: Settings;
  /** Where sessions work that name no directory. */
  cwd: string;
  /** The variables hermes was started with. */
  processEnv: Readonly<Record<string, string>>;
  /** The base catalogue of tools; default what is built in. */
  registry?: ToolRegistry;
  routes?: RouteTable;
  /** What time it is and how to wait; default the machine's. */
  clock?: HostClock;
  /** Rows for surfaces that are not built in. */
  surfaces?: Readonly<Record<string, SurfacePolicy>>;
  /** Names of commands that surfaces have themselves, for plugins that bring some. */
  ownCommands?: OpenPluginsOptions["ownCommands"];
  /** Where messages from chats arrive that plugins bring; default they are refused. */
  inbox?: PluginInbox;
}

export interface HostClock {
  now(): Date;
  timer: StartTimer;
}

/** How the surface that opens a session is reached before there is an event stream. */
export interface Opener {
  /** A line the person must see; default an event of the session. */
  tell?(line: string): void;
  log?(line: string): void;
  /** Leaves out notices that are only good to know. */
  quiet?: boolean;
  /** Asks about a plugin that is not agreed to yet; absent when no person is present. */
  confirmPlugin?: OpenPluginsOptions["confirm"];
  confirmPluginChange?: OpenPluginsOptions["confirmChange"];
}

export interface Opened {
  session: Session;
  settings: Settings;
  /** Absent when no plugin is wanted. */
  plugins?: PluginHost;
}

export interface HostCloseOptions {
  /** How long running turns may go on before they are interrupted; default not at all. */
  graceMs?: number;
  reason?: EndReason;
  /** Leaves the records of open sessions as they are. */
  abandon?: boolean;
}

/** Everything that is known about a session before it opens. */
interface OpenFacts {
  spec: SessionSpec;
  opener: Opener;
  noticeSink: NoticeSink;
  settings: Settings;
  cwd: string;
  cassette: Cassette;
  store?: Store;
  found?: SessionRecord;
}

/** How long closing waits for sessions that are about to open. */
const OPENING_LIMIT_MS = 5_000;

export class Host {
  readonly settings: Settings;
  readonly #options: HostOptions;
  readonly #registry: ToolRegistry;
  readonly #routes: RouteTable;
  readonly #live = new Map<string, Opened>();
  /** Openings under way; by id where it is a session that exists. */
  readonly #opening = new Map<string | symbol, Promise<Opened>>();
  /** Every replay has the same id: two replays at once could not be told apart. */
  #isReplaying = false;
  #store: Store | undefined;
  #storeNotices: string[] = [];
  #plugins: Promise<PluginSets> | undefined;
  #closing: Promise<void> | undefined;
  /** Not even what was about to open is waited for any more. */
  #isClosed = false;
  readonly #endChildren = holdChildren();

  constructor(options: HostOptions) {
    this.#options = options;
    this.settings = options.settings;
    this.#routes = options.routes ?? new RouteTable();
    this.#registry = options.registry ?? catalogue;
    this.#registry.addManifest(TOOL_MANIFEST);
  }

  /** An open session. */
  get(id: string): Session | undefined {
    return this.#live.get(id)?.session;
  }

  /** Every open session, oldest first. */
  list(): Session[] {
    return [...this.#live.values()].map(({ session }) => session);
  }

  /**
   * Opens or resumes a session. One that is open already is given as it is, whatever else the spec
   * says.
   * @throws {HermesError} when something it needs is wrong.
   */
  async open(spec: SessionSpec, opener: Opener = {}): Promise<Opened> {
    if (this.#closing !== undefined) throw closing();
    requireSpec(spec);
    const { cwd: base, processEnv } = this.#options;
    const settings = settingsFor(this.settings, spec);
    const cwd = firstDirectory(settings, {
      base,
      ...(spec.cwd === undefined ? {} : { given: spec.cwd }),
      ...(processEnv.HOME === undefined ? {} : { userHome: processEnv.HOME }),
    });
    if (spec.resume && (spec.storage === "none" || spec.cassette?.replay !== undefined)) {
      throw new UsageError("a session that keeps nothing has nothing to resume");
    }
    const facts = { spec, opener, noticeSink: new NoticeSink(opener), settings, cwd };
    const found = spec.resume && findRecord(this.#openStore(), {
      session: spec.resume.session,
      ...(spec.resume.here === true ? { here: cwd } : {}),
    });
    if (spec.cassette?.replay !== undefined) return await this.#openReplay(facts);
    if (found === undefined) return await this.#track(Symbol(), () => this.#open(facts));
    // One that is about to end, or whose transcript could not be stored, is opened again.
    const live = this.#live.get(found.id);
    if (live?.session.isEnding || live?.session.failure !== undefined) {
      await live.session.end("failed");
    } else if (live !== undefined) return live;
    return await this.#track(found.id, () => this.#open(facts, found.id));
  }

  /**
   * Takes no more sessions, lets running turns end within the grace or interrupts them, stores
   * everything and frees it. Later calls wait for the first.
   */
  close(options: HostCloseOptions = {}): Promise<void> {
    return this.#closing ??= this.#close(options);
  }

  async #close({ reason = "done", ...options }: HostCloseOptions): Promise<void> {
    const end = () => this.list().map((one) => one.end(reason, options));
    // From this moment on nothing is taken; what was about to open is closed with the others.
    const open = end();
    await this.#settleOpenings();
    const ends = await Promise.allSettled([...open, ...end()]);
    try {
      this.#store?.tidy();
      this.#store?.close();
    } finally {
      // Whoever failed to close left its processes to the host.
      await this.#endChildren();
    }
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** Waits for what is about to open, but not for a person or a server that never answers. */
  async #settleOpenings(): Promise<void> {
    if (this.#opening.size === 0) return;
    const late = Promise.withResolvers<void>();
    const cancel = (this.#options.clock?.timer ?? startTimer)(OPENING_LIMIT_MS, late.resolve);
    await Promise.race([Promise.allSettled(this.#opening.values()), late.promise]);
    cancel();
    this.#isClosed = true;
  }

  /** One opening per key at a time: whoever comes meanwhile gets the same session. */
  async #track(key: string | symbol, open: () => Promise<Opened>): Promise<Opened> {
    const known = this.#opening.get(key);
    if (known !== undefined) return await known;
    if (this.#closing !== undefined) throw closing();
    const opening = open();
    this.#opening.set(key, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(key);
    }
  }

  async #openReplay(facts: GivenFacts): Promise<Opened> {
    if (this.#isReplaying) throw new HermesError("a replay runs already");
    this.#isReplaying = true;
    try {
      return await this.#track(Symbol(), () => this.#open(facts));
    } catch (error) {
      this.#isReplaying = false;
      throw error;
    }
  }

  async #open(given: GivenFacts, resumed?: string): Promise<Opened> {
    const { spec, settings, cwd } = given;
    const { clock } = this.#options;
    const cassette = await openCassette({
      ...spec.cassette,
      cwd,
      settings,
      ...(clock === undefined ? {} : { now: () => clock.now() }),
    });
    let plugins: UsedPlugins | undefined;
    try {
      const isKept = spec.storage !== "none" && cassette.mode !== "replay";
      const store = isKept ? this.#openStore() : undefined;
      const found = resumed === undefined ? undefined : store?.getSession(resumed);
      plugins = await this.#usePlugins(given);
      const facts = { ...given, cassette, ...(store && { store }), ...(found && { found }) };
      return await this.#compose(facts, plugins);
    } catch (error) {
      await cassette.close();
      await plugins?.release();
      throw error;
    }
  }

  async #compose(facts: OpenFacts, plugins: UsedPlugins | undefined): Promise<Opened> {
    const { spec, opener, noticeSink, settings } = facts;
    const { log = () => {}, quiet = false } = opener;
    const { clock, processEnv } = this.#options;
    // It took so long that nobody waits for it any more.
    if (this.#isClosed) throw closing();
    const { session, notices } = await openSession({
      ...facts,
      surface: surfacePolicy(spec.surface, this.#options.surfaces),
      registry: this.#registry.fork(),
      routes: this.#findRoute(plugins?.host),
      ...(plugins === undefined ? {} : viewOf(plugins.host)),
      ...(clock === undefined ? {} : { timer: clock.timer }),
      processEnv,
      quiet,
      log,
      progress: quiet ? log : (line) => noticeSink.tell(line),
      release: async () => {
        this.#live.delete(session.id);
        if (facts.cassette.mode === "replay") this.#isReplaying = false;
        await plugins?.release();
      },
    });
    if (this.#isClosed) {
      await session.end("done", { abandon: true });
      throw closing();
    }
    const opened = { session, settings, ...(plugins && { plugins: plugins.host }) };
    this.#live.set(session.id, opened);
    noticeSink.use(session);
    for (const line of [...this.#storeNotices.splice(0), ...notices]) noticeSink.tell(line);
    return opened;
  }

  /** Models of plugins are found as well, where a plugin of the session brings some. */
  #findRoute(plugins: PluginHost | undefined): FindRoute {
    const find: FindRoute = (options) => this.#routes.find(options);
    if (!plugins?.bringsProviders) return find;
    return async (options) => {
      const { pluginRoute } = await import("./plugin_route.ts");
      return await pluginRoute(await plugins.providers(), options) ?? await find(options);
    };
  }

  /** The one open store of the process. @throws {HermesError} when it cannot be used. */
  #openStore(): Store {
    return this.#store ??= new Store(this.settings.home.path("state.db"), {
      onNotice: (line) => this.#storeNotices.push(line),
    });
  }

  async #usePlugins(facts: PluginFacts): Promise<UsedPlugins | undefined> {
    const { spec, opener, noticeSink, settings, cwd } = facts;
    const { plugins: places, acceptPlugins = false } = spec.extensions ?? {};
    if (settings.config.plugins.enabled.length === 0 && places === undefined) return undefined;
    const { ownCommands, processEnv, inbox, surfaces } = this.#options;
    this.#plugins ??= import("./plugin_sets.ts").then(({ PluginSets }) => new PluginSets());
    return await (await this.#plugins).use({
      settings,
      cwd,
      places: places ?? [],
      accept: acceptPlugins,
      confirm: opener.confirmPlugin,
      confirmChange: opener.confirmPluginChange,
      processEnv,
      ownCommands,
      serves: surfacePolicy(spec.surface, surfaces).serves ?? false,
      inbox,
      report: (line) => noticeSink.tell(line),
      log: opener.log ?? (() => {}),
    });
  }
}

/** Lines for the person: to the surface that opens the session, or as events once it is open. */
class NoticeSink {
  readonly #opener: Opener;
  #early: string[] = [];
  #session: Session | undefined;

  constructor(opener: Opener) {
    this.#opener = opener;
  }

  tell(line: string): void {
    if (this.#opener.tell !== undefined) this.#opener.tell(line);
    else if (this.#session !== undefined) this.#session.tell(line);
    else this.#early.push(line);
  }

  use(session: Session): void {
    this.#session = session;
    for (const line of this.#early.splice(0)) session.tell(line);
  }
}

function closing(): HermesError {
  return new HermesError("hermes is closing");
}

type GivenFacts = Omit<OpenFacts, "cassette" | "store" | "found">;
type PluginFacts = Pick<OpenFacts, "spec" | "opener" | "noticeSink" | "settings" | "cwd">;
type UsedPlugins = Awaited<ReturnType<PluginSets["use"]>>;

/** What one session sees of plugins that others may use as well. */
function viewOf(host: PluginHost) {
  const find = (name: string) => host.commands.find((command) => command.name === name);
  return {
    plugins: host.session(),
    commands: {
      has: (name: string) => find(name) !== undefined,
      async run(name: string, argument: string, use: CommandUse) {
        const command = find(name);
        if (command === undefined) throw new HermesError(`there is no command ${name} any more`);
        return await command.run(argument, use);
      },
    },
  };
}
