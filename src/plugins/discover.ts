/**
 * Where plugins are found: carried by the build, in the home, in the project, pinned from an
 * address. A name stays with the place it was enabled from; another plugin of that name is
 * only mentioned. Reads names and what was agreed to, runs nothing.
 */
import type { Home } from "../config/home.ts";
import { joinPath } from "../util/path.ts";
import { type LockedPlugin, lockedPlugin, readLock, readLocked } from "./lock.ts";
import { changesSince, NotAgreed, type Pin, readPinned, sealedPin } from "./pins.ts";
import { PluginProblem } from "./problem.ts";
import type { Kept } from "./records.ts";
import {
  bundledSource,
  looksLikePlugin,
  type PluginOrigin,
  type PluginSource,
  readSource,
  statOf,
} from "./source.ts";

/** A plugin that was found, not yet read. */
export interface Candidate {
  id: string;
  origin: PluginOrigin;
  /** A folder, a file or an address. */
  location: string;
  /** Not the plugin that grants to its name were made to. */
  foreign?: boolean;
  /** A plugin in the home that has the same name and is not used. */
  rival?: string;
  /** Under which name agreement to it is kept; absent when it needs none. */
  pinKey?: string;
  /** As it is now, for a look. @throws {PluginProblem} when it cannot be used. */
  read(): Promise<PluginSource>;
  /** @throws {NotAgreed} unless the person has agreed to exactly this. */
  check?(source: PluginSource): Promise<void>;
}

/** A name is a name: never a way to somewhere else, and nothing that a terminal would obey. */
const NO_NAME = /^\.|[/\p{Cc}\p{Bidi_Control}]/u;

export class Discovery {
  readonly #home: Home;
  readonly #cwd: string;

  constructor(home: Home, cwd: string) {
    this.#home = home;
    this.#cwd = cwd;
  }

  /** Everything there is, sorted by name; of several with one name the one the name stands for. */
  async list(): Promise<Candidate[]> {
    const names = new Set(await this.#names());
    const found = await Promise.all([...names].sort().map((id) => this.find(id)));
    return found.filter((candidate) => candidate !== undefined);
  }

  /**
   * The plugin a name stands for: one of this project that was trusted, the one that was
   * enabled, and while the person has not decided, one that was installed, that is part of hermes, in
   * the home, in the project. The later ones are not loaded before the person agrees to them.
   */
  async find(id: string): Promise<Candidate | undefined> {
    const project = this.#inFolder(this.#projectDir, { id, origin: "project" });
    if (project && await sealedPin(this.#home, project.pinKey!)) return project;
    const user = this.#inFolder(this.#userDir, { id, origin: "user" });
    const origin = (await sealedPin(this.#home, id))?.origin;
    if (origin === "user") return user ?? this.#gone(id, joinPath(this.#userDir, id));
    const locked = origin === "bundled" ? undefined : await this.#pinned(id);
    if (origin === "url" && locked === undefined) return this.#gone(id, "plugins.lock");
    const found = locked ?? await this.#bundled(id);
    if (found === undefined) return user ?? project;
    return user === undefined ? found : { ...found, rival: user.location };
  }

  /** Every plugin of a name, in the order of `find`; only one of them is ever loaded. */
  async all(id: string): Promise<Candidate[]> {
    const found = [
      await this.#pinned(id),
      await this.#bundled(id),
      this.#inFolder(this.#userDir, { id, origin: "user" }),
      this.#inFolder(this.#projectDir, { id, origin: "project" }),
    ];
    return found.filter((candidate) => candidate !== undefined);
  }

  /** The plugins of the project, trusted or not. */
  project(): Candidate[] {
    return this.#folder(this.#projectDir, "project");
  }

  get #userDir(): string {
    return this.#home.path("plugins");
  }

  /** The home is no project, even when hermes is started beside it. */
  get #projectDir(): string | undefined {
    const folder = joinPath(this.#cwd, ".hermes");
    return folder === this.#home.root ? undefined : joinPath(folder, "plugins");
  }

  async #names(): Promise<string[]> {
    const { BUNDLED_PLUGINS } = await import("../../plugins/manifest.ts");
    const folders = [...this.#folder(this.#userDir, "user"), ...this.project()];
    return [
      ...Object.keys(BUNDLED_PLUGINS),
      ...Object.keys(await readLock(this.#home)),
      ...folders.map(({ id }) => id),
    ];
  }

  async #bundled(id: string): Promise<Candidate | undefined> {
    const { BUNDLED_PLUGINS } = await import("../../plugins/manifest.ts");
    const files = Object.hasOwn(BUNDLED_PLUGINS, id) ? BUNDLED_PLUGINS[id] : undefined;
    if (files === undefined) return undefined;
    const read = () => Promise.resolve(bundledSource(files));
    return { id, origin: "bundled", location: "part of hermes", read };
  }

  async #pinned(id: string): Promise<Candidate | undefined> {
    const kept = await lockedPlugin(this.#home, id);
    if (kept === undefined) return undefined;
    const read = () => this.#readPinned(id, kept.record);
    const check = async (source: PluginSource) => {
      if ((await lockedPlugin(this.#home, id))?.sealed) return;
      throw new NotAgreed("its record in plugins.lock has no seal of this hermes", {
        source,
        hint: `Look at it again and agree: hermes plugins update ${id}`,
      });
    };
    return { id, origin: "url", location: kept.record.url, read, check };
  }

  /** Another process may put a new version in the place of this one while it is read. */
  async #readPinned(id: string, locked: LockedPlugin): Promise<PluginSource> {
    try {
      return await readLocked(this.#home, { name: id, locked });
    } catch (error) {
      const current = (await lockedPlugin(this.#home, id))?.record;
      if (current === undefined || current.sha256 === locked.sha256) throw error;
      return await this.#readPinned(id, current);
    }
  }

  /** What was enabled is not there; nothing else of the name takes its place. */
  #gone(id: string, location: string): Candidate {
    const read = () =>
      Promise.reject(
        new PluginProblem(`it was enabled from ${location}, where it is no longer`, {
          hint: `Put it back, or enable what there is now: hermes plugins enable ${id}`,
        }),
      );
    return { id, origin: "user", location, read };
  }

  #folder(folder: string | undefined, origin: "user" | "project"): Candidate[] {
    if (folder === undefined || !statOf(folder)?.isDirectory) return [];
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name.replace(/\.ts$/, ""));
    return [...new Set(names)].sort().flatMap((id) => this.#inFolder(folder, { id, origin }) ?? []);
  }

  #inFolder(
    folder: string | undefined,
    { id, origin }: { id: string; origin: "user" | "project" },
  ): Candidate | undefined {
    if (folder === undefined || NO_NAME.test(id)) return undefined;
    const path = joinPath(folder, id);
    const isFile = !looksLikePlugin(path);
    if (isFile && !statOf(`${path}.ts`)?.isFile) return undefined;
    const location = isFile ? `${path}.ts` : path;
    const pinKey = origin === "user" ? id : path;
    return {
      id,
      origin,
      location,
      pinKey,
      read: () => Promise.resolve(readSource(location)),
      check: (source) => this.#requireAgreed({ id, origin, location, pinKey }, source),
    };
  }

  async #requireAgreed(
    { id, origin, location, pinKey }: Required<
      Pick<Candidate, "id" | "origin" | "location" | "pinKey">
    >,
    source: PluginSource,
  ): Promise<void> {
    const kept = await readPinned(this.#home, pinKey);
    const pin = kept?.sealed && kept.record.origin === origin ? kept.record : undefined;
    const changes = pin && await changesSince(pin, source);
    if (changes === "") return;
    const [where, verb, command] = origin === "user"
      ? ["it is in your plugins folder", "enabled", "enable"]
      : ["it belongs to this project", "trusted", "trust"];
    throw new NotAgreed(`${where} and ${stateOf(kept, { verb, changes })}`, {
      source,
      pin,
      hint: `Look at ${location}, then: hermes plugins ${command} ${id}`,
    });
  }
}

function stateOf(
  kept: Kept<Pin> | undefined,
  { verb, changes }: { verb: string; changes: string | undefined },
): string {
  if (changes !== undefined) return `has changed since it was ${verb}: ${changes}`;
  if (kept !== undefined && !kept.sealed) return `the record that it was ${verb} has no seal`;
  return verb === "trusted" ? "is not trusted" : "nobody has agreed to what it is now";
}
