/**
 * `plugins.lock`: which plugins came from addresses, with the hash of every file, and the files
 * themselves in the cache. A file that is not the pinned one is never loaded.
 */
import type { Home } from "../config/home.ts";
import { sha256Hex } from "../util/hash.ts";
import { joinPath } from "../util/path.ts";
import { PluginProblem } from "./problem.ts";
import { changeRecords, readRecords, type RecordsFile, saveFile } from "./records.ts";
import { type FileBytes, hashOfHashes, type PluginSource } from "./source.ts";

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
  isRecord: (locked) => typeof locked.files[locked.entry]!.sha256 === "string",
};

/** Every locked plugin by name. @throws {PluginProblem} when the file is damaged. */
export function readLock(home: Home): Record<string, LockedPlugin> {
  return readRecords(home, FILE);
}

/** Adds, replaces or (with undefined) removes one plugin. */
export async function changeLock(
  home: Home,
  { name, locked }: { name: string; locked: LockedPlugin | undefined },
): Promise<void> {
  await changeRecords(home, FILE, (plugins) => {
    if (locked === undefined) delete plugins[name];
    else plugins[name] = locked;
  });
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

/** Keeps the files of a source for use without a network. */
export async function keepFiles(home: Home, source: PluginSource): Promise<void> {
  for (const bytes of source.files.values()) {
    await saveFile(fileOf(home, await sha256Hex(bytes)), bytes);
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

function fileOf(home: Home, sha256: string): string {
  return joinPath(home.path("cache", "plugins", "files"), sha256);
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

export async function keepPin(home: Home, locked: LockedPlugin): Promise<void> {
  await saveFile(pinOf(home, locked.sha256), JSON.stringify(locked));
}

function pinOf(home: Home, sha256: string): string {
  return joinPath(home.path("cache", "plugins", "pins"), `${sha256}.json`);
}
