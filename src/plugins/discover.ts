/**
 * Where plugins are found: carried by the build, in the home, in the project, pinned from an
 * address. Later ones win over earlier ones of the same name. Reads names, runs nothing.
 */
import type { Home } from "../config/home.ts";
import { joinPath } from "../util/path.ts";
import { type LockedPlugin, readLock, readLocked } from "./lock.ts";
import { PluginProblem } from "./problem.ts";
import {
  bundledSource,
  contentHash,
  looksLikePlugin,
  type PluginSource,
  readSource,
  statOf,
} from "./source.ts";
import { trustedHash } from "./trust.ts";

export type PluginOrigin = "bundled" | "user" | "url" | "project" | "path";

/** A plugin that was found, not yet read. */
export interface Candidate {
  id: string;
  origin: PluginOrigin;
  /** A folder, a file or an address. */
  location: string;
  /** From an address that nobody installed. */
  foreign?: boolean;
  /** @throws {PluginProblem} when it cannot be used. */
  read(): Promise<PluginSource>;
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

  /** Everything there is, sorted by name; of two with one name the one that would be loaded. */
  async list(): Promise<Candidate[]> {
    const names = new Set(await this.#names());
    const found = await Promise.all([...names].sort().map((id) => this.find(id)));
    return found.filter((candidate) => candidate !== undefined);
  }

  /** The plugin of a name; a project's own only counts once somebody trusted it, or when it is the only one. */
  async find(id: string): Promise<Candidate | undefined> {
    const project = this.#inFolder(this.#projectDir, { id, origin: "project" });
    if (project && this.#trusted(id) !== undefined) return project;
    const locked = readLock(this.#home)[id];
    if (locked) return this.#pinned(id, locked);
    const user = this.#inFolder(this.#userDir, { id, origin: "user" });
    return user ?? await this.#bundled(id) ?? project;
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

  #trusted(id: string): string | undefined {
    return trustedHash(this.#home, { project: this.#cwd, id });
  }

  async #names(): Promise<string[]> {
    const { BUNDLED_PLUGINS } = await import("../../plugins/manifest.ts");
    const folders = [...this.#folder(this.#userDir, "user"), ...this.project()];
    return [
      ...Object.keys(BUNDLED_PLUGINS),
      ...Object.keys(readLock(this.#home)),
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

  #pinned(id: string, locked: LockedPlugin): Candidate {
    const read = () => this.#readPinned(id, locked);
    return { id, origin: "url", location: locked.url, read };
  }

  /** Another process may put a new version in the place of this one while it is read. */
  async #readPinned(id: string, locked: LockedPlugin): Promise<PluginSource> {
    try {
      return await readLocked(this.#home, { name: id, locked });
    } catch (error) {
      const current = readLock(this.#home)[id];
      if (current === undefined || current.sha256 === locked.sha256) throw error;
      return await this.#readPinned(id, current);
    }
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
    const read = origin === "user"
      ? () => Promise.resolve(readSource(location))
      : () => this.#readTrusted(id, location);
    return { id, origin, location, read };
  }

  async #readTrusted(id: string, location: string): Promise<PluginSource> {
    const source = readSource(location);
    const seen = this.#trusted(id);
    if (seen === await contentHash(source)) return source;
    const what = seen === undefined ? "is not trusted" : "has changed since it was trusted";
    throw new PluginProblem(`it belongs to this project and ${what}`, {
      hint: `Look at ${location}, then: hermes plugins trust ${id}`,
    });
  }
}
