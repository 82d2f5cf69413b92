/**
 * `plugins.lock`: which plugins came from addresses, with the hash of every file, and the files
 * themselves in the cache. A file that is not the pinned one is never loaded, and neither is one
 * that a record without a seal names.
 */
import type { Home } from "../config/home.ts";
import { sha256Hex } from "../util/hash.ts";
import { joinPath } from "../util/path.ts";
import { PluginProblem } from "./problem.ts";
import {
  changeRecord,
  type Kept,
  lockRecords,
  readRecord,
  readRecords,
  type RecordsFile,
  saveFile,
} from "./records.ts";
import { type FileBytes, hashOfHashes, namesIn, type PluginSource } from "./source.ts";

export interface LockedPlugin {
  /** What was asked for. */
  url: string;
  version: string;
  /** Stands for all files together. */
  sha256: string;
  entry: string;
  manifest?: string;
  files: Record<string, { sha256: string; size: number }>;
  redirects: Record<string, string>;
  installedAt: string;
}

const FILE: RecordsFile<LockedPlugin> = {
  name: "plugins.lock",
  key: "plugins",
  hint: "Restore it, or delete it and install your plugins again.",
  isRecord: ({ url, version, sha256, entry, manifest = entry, files, redirects }) =>
    [url, version, ...Object.values(redirects)].every((text) => typeof text === "string") &&
    [sha256, ...Object.values(files).map((file) => file.sha256)].every(isHash) &&
    Object.hasOwn(files, entry) && Object.hasOwn(files, manifest),
  sweep: sweepFiles,
};

function isHash(text: unknown): boolean {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}

/** Every locked plugin by name. @throws {PluginProblem} when the file is damaged. */
export async function readLock(home: Home): Promise<Record<string, Kept<LockedPlugin>>> {
  return await readRecords(home, FILE);
}

/** One locked plugin. @throws {PluginProblem} when the file is damaged. */
export async function lockedPlugin(
  home: Home,
  name: string,
): Promise<Kept<LockedPlugin> | undefined> {
  return await readRecord(home, { file: FILE, name });
}

/** Adds or replaces one plugin, its files kept for use without a network. */
export async function pinSource(
  home: Home,
  { name, locked, source }: { name: string; locked: LockedPlugin; source: PluginSource },
): Promise<void> {
  await changeRecord(home, FILE, { name, record: locked, first: () => keepFiles(home, source) });
}

/** Removes one plugin, and what was kept of its address for single runs. */
export async function unpin(home: Home, name: string): Promise<void> {
  const first = async (before: LockedPlugin | undefined) => {
    for (const { path, locked } of await readPins(home)) {
      if (locked !== undefined && locked.url === before?.url) await Deno.remove(path);
    }
  };
  await changeRecord(home, FILE, { name, record: undefined, first });
}

/** The record that pins a fetched source. */
export async function lockOf(
  source: PluginSource,
  facts: { url: string; version: string },
): Promise<LockedPlugin> {
  const files: LockedPlugin["files"] = {};
  for (const [url, bytes] of source.files) {
    files[url] = { sha256: await sha256Hex(bytes), size: bytes.length };
  }
  return {
    ...facts,
    sha256: await hashOfHashes(
      Object.entries(files).map(([url, { sha256 }]) => [url, sha256]),
      source.redirects,
    ),
    entry: source.entry,
    ...(source.manifest === undefined ? {} : { manifest: source.manifest }),
    files,
    redirects: Object.fromEntries(source.redirects ?? []),
    installedAt: new Date().toISOString(),
  };
}

async function keepFiles(home: Home, source: PluginSource): Promise<void> {
  for (const bytes of source.files.values()) {
    await saveFile(fileOf(home, await sha256Hex(bytes)), bytes);
  }
}

/** Removes the files that no plugin and no pin needs, and what a killed process left half written. */
async function sweepFiles(home: Home, plugins: Readonly<Record<string, LockedPlugin>>) {
  const pins = (await readPins(home)).flatMap(({ locked }) => locked ?? []);
  const needed = new Set(
    [...Object.values(plugins), ...pins].flatMap(({ files }) =>
      Object.values(files).map(({ sha256 }) => sha256)
    ),
  );
  for (const name of await namesIn(filesDir(home))) {
    if (needed.has(name)) continue;
    // What cannot be removed only takes room.
    await Deno.remove(joinPath(filesDir(home), name)).catch(() => {});
  }
}

/** The pinned files from the cache. @throws {PluginProblem} when one is missing or is another. */
export async function readLocked(
  home: Home,
  { name, locked }: { name: string; locked: LockedPlugin },
): Promise<PluginSource> {
  const files = new Map<string, FileBytes>();
  for (const [url, { sha256 }] of Object.entries(locked.files)) {
    const bytes = await Deno.readFile(fileOf(home, sha256)).catch(() => undefined);
    if (bytes === undefined || await sha256Hex(bytes) !== sha256) {
      const what = bytes === undefined ? "is missing from the cache" : "is not what was pinned";
      throw new PluginProblem(`${url} ${what}`, {
        hint: `Fetch it: hermes plugins update ${name}`,
      });
    }
    files.set(url, bytes);
  }
  return {
    entry: locked.entry,
    files,
    redirects: new Map(Object.entries(locked.redirects)),
    ...(locked.manifest === undefined ? {} : { manifest: locked.manifest }),
  };
}

function filesDir(home: Home): string {
  return home.path("cache", "plugins", "files");
}

function fileOf(home: Home, sha256: string): string {
  return joinPath(filesDir(home), sha256);
}

/** What was pinned for one run (`URL#sha256=…`) and fetched before; undefined when it was not. */
export async function readPin(home: Home, sha256: string): Promise<PluginSource | undefined> {
  try {
    const locked = JSON.parse(await Deno.readTextFile(pinOf(home, sha256)));
    return await readLocked(home, { name: sha256, locked });
  } catch {
    // Never fetched, or damaged: it is fetched again and checked.
    return undefined;
  }
}

/** Keeps what was fetched for one run. */
export async function keepPin(
  home: Home,
  { locked, source }: { locked: LockedPlugin; source: PluginSource },
): Promise<void> {
  using _lock = await lockRecords(home, FILE);
  await keepFiles(home, source);
  await saveFile(pinOf(home, locked.sha256), JSON.stringify(locked));
}

/** Every pin; one that is damaged has no record. */
async function readPins(home: Home): Promise<{ path: string; locked?: LockedPlugin }[]> {
  const paths = (await namesIn(pinsDir(home))).map((name) => joinPath(pinsDir(home), name));
  return await Promise.all(paths.map(async (path) => {
    try {
      const locked: LockedPlugin = JSON.parse(await Deno.readTextFile(path));
      return FILE.isRecord(locked) ? { path, locked } : { path };
    } catch {
      // Fetched and written again when it is asked for.
      return { path };
    }
  }));
}

function pinsDir(home: Home): string {
  return home.path("cache", "plugins", "pins");
}

function pinOf(home: Home, sha256: string): string {
  return joinPath(pinsDir(home), `${sha256}.json`);
}
