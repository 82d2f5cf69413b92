/**
 * One plugin, ready to be asked: what it registers is known, from the cache if it was seen
 * before, and its process starts with the first question. Its failures end here.
 */
import { settleWithin } from "../registry/deadline.ts";
import type { ChildMode, Wall } from "../sandbox/contract.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { sha256Hex } from "../util/hash.ts";
import { basename, joinPath } from "../util/path.ts";
import type { AskOptions, Conversation } from "./conversation.ts";
import type { Question } from "./messages.ts";
import type { PermissionPlace } from "./permissions.ts";
import { PluginProblem, reasonOf } from "./problem.ts";
import type { CheckedRegistrations } from "./registrations.ts";
import type { PluginEntry } from "./settings.ts";
import { requireWhole, type Snapshot } from "./snapshot.ts";

export interface PluginSpec {
  snapshot: Snapshot;
  entry: PluginEntry;
  /** Checked settings. */
  config: Record<string, unknown>;
  place: Omit<PermissionPlace, "modulesDir">;
  log(text: string): void;
  /** It was stopped, or ended by itself. */
  onEnd(reason: string): void;
  /** Longest time `register()` may take; default 5 s. */
  registerTimeoutMs?: number | undefined;
  /** How its process starts and which walls stay down, for tests. */
  mode?: ChildMode | undefined;
  without?: readonly Wall[] | undefined;
}

export class Plugin {
  readonly #spec: PluginSpec;
  #starting: Promise<Conversation> | undefined;
  #checked: CheckedRegistrations = {
    registrations: { tools: [], hooks: [], commands: [], skills: [], sections: [] },
    problems: [],
  };

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
    if (this.#starting !== undefined) return;
    const spawned = Promise.withResolvers<void>();
    this.#started(spawned.resolve).catch(() => {
      // The first question reports it.
    }).finally(spawned.resolve);
    await spawned.promise;
  }

  /** @throws what the conversation throws, and {PluginProblem} when the plugin does not start. */
  async ask(question: Question, options: AskOptions): Promise<unknown> {
    const { signal } = options;
    const conversation = await settleWithin(this.#started(), { signal, graceMs: 0 });
    return await conversation.ask(question, options);
  }

  #started(onSpawn?: () => void): Promise<Conversation> {
    return this.#starting ??= this.#start(onSpawn).catch((error) => {
      this.#spec.onEnd(reasonOf(error));
      throw new PluginProblem(reasonOf(error), { cause: error });
    });
  }

  async close(): Promise<void> {
    try {
      await (await this.#starting)?.close();
    } catch {
      // It never started; that was reported where it was asked for.
    }
  }

  async #start(onSpawn = () => {}): Promise<Conversation> {
    const { startPlugin } = await import("./start.ts");
    // It was checked when the session began, which may be long ago.
    await requireWhole(this.#spec.snapshot);
    const { conversation, checked } = await startPlugin(this.#spec, onSpawn);
    this.#checked = checked;
    return conversation;
  }
}

/** What it registers may depend on its settings and variables: those are part of the name. */
async function cacheFile({ snapshot, config, entry, place }: PluginSpec): Promise<string> {
  const { permissions, requiresEnv } = snapshot.manifest;
  const env = [...permissions.env, ...requiresEnv].map((name) => place.env(name) ?? null);
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
