/**
 * One plugin, ready to be asked: what it registers is known, from the cache if it was seen
 * before, and its process starts with the first question. Its failures end here. When it is started
 * again after its end is decided by whoever supervises it; without a supervisor it is not.
 */
import type { PushReceipt } from "../protocol/push.ts";
import { settleWithin } from "../registry/dispatch/deadline.ts";
import type { ChildMode, Wall } from "../sandbox/child/contract.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { sha256Hex } from "../util/hash.ts";
import { basename, joinPath } from "../util/path.ts";
import type { AskOptions, Conversation } from "./conversation.ts";
import type { Question, Registrations } from "./messages.ts";
import type { PermissionPlace } from "./permissions.ts";
import { PluginProblem, reasonOf } from "./problem.ts";
import type { CheckedRegistrations } from "./registrations.ts";
import type { PluginEntry } from "./plugin_settings.ts";
import { requireWhole, type Snapshot } from "./snapshot.ts";

export interface PluginSpec {
  snapshot: Snapshot;
  entry: PluginEntry;
  /** Checked settings. */
  config: Record<string, unknown>;
  place: Omit<PermissionPlace, "modulesDir">;
  log(text: string): void;
  /** Called when the plugin was stopped, or ended by itself. */
  onEnd(reason: string): void;
  /** Decides about what the plugin pushes. Must not reject. */
  onEvent?(event: unknown): Promise<PushReceipt>;
  /** Longest time `register()` may take; default 5 s. */
  registerTimeoutMs?: number | undefined;
  /** How its process starts and which walls stay down, for tests. */
  mode?: ChildMode | undefined;
  without?: readonly Wall[] | undefined;
}

/** Who decides what follows from the end of a plugin's process, and takes what it pushes. */
export interface PluginSupervision {
  /** The process is gone, or did not start. The plugin is held until `release()`. */
  onGone(reason: string): void;
  onEvent(event: unknown): Promise<PushReceipt>;
}

const NOTHING: Registrations = {
  tools: [],
  hooks: [],
  commands: [],
  skills: [],
  sections: [],
  services: [],
  timers: [],
  routes: [],
  platforms: [],
  providers: [],
};

export class Plugin {
  readonly #spec: PluginSpec;
  #starting: Promise<Conversation> | undefined;
  /** The same once it has registered. */
  #running: Conversation | undefined;
  /** Ends of processes that are on their way. */
  #ending: Promise<unknown> = Promise.resolve();
  #startedAt = 0;
  #supervision: PluginSupervision | undefined;
  /** Why it may not be started now. */
  #held: string | undefined;
  #checked: CheckedRegistrations = { registrations: NOTHING, problems: [] };

  constructor(spec: PluginSpec) {
    this.#spec = spec;
  }

  /** Loads a plugin: nothing runs when its registrations are cached. @throws {PluginProblem} */
  static async load(spec: PluginSpec): Promise<Plugin> {
    const plugin = new Plugin(spec);
    const file = await cacheFile(spec);
    const cached = await readCache(file, spec.snapshot);
    if (cached !== undefined) {
      plugin.#checked = cached;
      return plugin;
    }
    try {
      await (plugin.#starting = plugin.#start());
    } catch (error) {
      throw new PluginProblem(reasonOf(error), { cause: error });
    }
    // A read-only or full home only costs the next start some milliseconds.
    await writeCache(file, spec.snapshot, plugin.#checked).catch(() => {});
    return plugin;
  }

  get registrations(): CheckedRegistrations["registrations"] {
    return this.#checked.registrations;
  }

  /** What was left out of its registrations, one line each. */
  get problems(): readonly string[] {
    return this.#checked.problems;
  }

  /** Starts its process now, because it is about to be asked; resolves when it is on its way. */
  async warm(): Promise<void> {
    if (this.#starting !== undefined || this.#held !== undefined) return;
    const spawned = Promise.withResolvers<void>();
    this.#started(spawned.resolve).catch(() => {
      // The first question reports it.
    }).finally(spawned.resolve);
    await spawned.promise;
  }

  /** From now on the plugin outlives its process. */
  supervise(supervision: PluginSupervision | undefined): void {
    this.#supervision = supervision;
  }

  /** Starts its process if there is none. @throws {PluginProblem} when it does not start. */
  async start(): Promise<void> {
    await this.#started();
  }

  /** Until `release()`, questions fail with this reason. */
  hold(reason: string): void {
    this.#held = reason;
  }

  release(): void {
    this.#held = undefined;
  }

  /** Ends its process because of what the plugin did. */
  stop(reason: string): void {
    this.#running?.stop(reason);
  }

  /** Its process, where one of its own is running. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Milliseconds since its process has registered. */
  get upMs(): number {
    return this.#running === undefined ? 0 : performance.now() - this.#startedAt;
  }

  /** @throws what the conversation throws, and {PluginProblem} when the plugin does not start. */
  async ask(question: Question, options: AskOptions): Promise<unknown> {
    const { signal } = options;
    if (this.#held !== undefined) throw new PluginProblem(this.#held);
    const conversation = await settleWithin(this.#started(), { signal, graceMs: 0 });
    return await conversation.ask(question, options);
  }

  #started(onSpawn?: () => void): Promise<Conversation> {
    return this.#starting ??= this.#start(onSpawn).catch((error) => {
      this.#ended(reasonOf(error));
      throw new PluginProblem(reasonOf(error), { cause: error });
    });
  }

  #ended(reason: string): void {
    if (this.#supervision === undefined) return this.#spec.onEnd(reason);
    this.#ending = Promise.all([this.#ending, this.#running?.close()]);
    this.#starting = undefined;
    this.#held = reason;
    this.#supervision.onGone(reason);
    this.#running = undefined;
  }

  async close(): Promise<void> {
    try {
      await (await this.#starting)?.close();
    } catch {
      // The plugin never started; that was reported where it was asked for.
    }
    await this.#ending;
  }

  async #start(onSpawn = () => {}): Promise<Conversation> {
    const { startPlugin } = await import("./start.ts");
    // The plugin was checked when the session began, which may be long ago.
    await requireWhole(this.#spec.snapshot);
    const { conversation, checked } = await startPlugin({
      ...this.#spec,
      onEnd: (reason) => this.#ended(reason),
      onEvent: (event) => this.#supervision?.onEvent(event) ?? Promise.resolve(NOT_TAKEN),
    }, onSpawn);
    this.#checked = checked;
    this.#running = conversation;
    this.#startedAt = performance.now();
    return conversation;
  }
}

const NOT_TAKEN: PushReceipt = {
  status: "rejected",
  reason: "hermes takes no events from plugins here",
  retry: false,
};

/** What it registers may depend on its settings and variables: those are part of the name. */
async function cacheFile({ snapshot, config, entry, place }: PluginSpec): Promise<string> {
  const { permissions, requiresEnv } = snapshot.manifest;
  const names = [...permissions.env, ...permissions.secrets, ...requiresEnv];
  const env = names.map((name) => place.env(name) ?? null);
  const key = await sha256Hex(JSON.stringify([config, env, entry.trustFull]));
  return joinPath(snapshot.dir, `registrations-${key.slice(0, 32)}.json`);
}

const PURPOSE = "plugin registrations";

/** What a sealed file says; anything else is asked of the plugin again. */
async function readCache(
  file: string,
  snapshot: Snapshot,
): Promise<CheckedRegistrations | undefined> {
  try {
    const { checked, seal } = readJson(file);
    const isOurs = await snapshot.seal.verify(PURPOSE, sealedText(file, snapshot, checked), seal);
    return isOurs ? JSON.parse(checked) : undefined;
  } catch {
    // Not seen before, or damaged: asking the plugin again repairs it.
    return undefined;
  }
}

/** Synchronous: sooner done than a thread starts. */
function readJson(file: string): { checked: string; seal: string } {
  return JSON.parse(Deno.readTextFileSync(file));
}

async function writeCache(
  file: string,
  snapshot: Snapshot,
  registrations: CheckedRegistrations,
): Promise<void> {
  const checked = JSON.stringify(registrations);
  const seal = await snapshot.seal.sign(PURPOSE, sealedText(file, snapshot, checked));
  await writeFileAtomic(file, JSON.stringify({ checked, seal }));
}

/** The file's name stands for the settings, the hash and the entry for the plugin. */
function sealedText(file: string, { entryUrl, hash }: Snapshot, checked: string): string {
  return [basename(file), basename(entryUrl), hash, checked].join("\n");
}
