/**
 * `plugins.lock`: which plugins came from addresses, with the hash of every file, and the files
 * themselves in the cache. A file that is not the pinned one is never loaded.
 */
import type { Home } from "../config/home.ts";
import { readOptional } from "../config/load.ts";
import { HermesError } from "../protocol/error.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { sha256Hex } from "../util/hash.ts";
import { joinPath } from "../util/path.ts";
import { PluginProblem } from "./problem.ts";
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

const FILE = "plugins.lock";

/** Every locked plugin by name. @throws {HermesError} when the file is damaged. */
export function readLock(home: Home): Record<string, LockedPlugin> {
  const path = home.path(FILE);
  const text = readOptional(path);
  if (text === undefined) return {};
  try {
    const { plugins } = JSON.parse(text) as { plugins: Record<string, LockedPlugin> };
    for (const locked of Object.values(plugins)) locked.files[locked.entry]!.sha256.at(0);
    return plugins;
  } catch (cause) {
    throw new HermesError(`${path} is damaged`, {
      hint: "Restore it, or delete it and install your plugins again.",
      cause,
    });
  }
}

/** Adds, replaces or (with undefined) removes one plugin. */
export async function changeLock(
  home: Home,
  { name, locked }: { name: string; locked: LockedPlugin | undefined },
): Promise<void> {
  const { [name]: _, ...others } = readLock(home);
  const plugins = locked === undefined ? others : { ...others, [name]: locked };
  const sorted = Object.fromEntries(Object.entries(plugins).sort(([a], [b]) => a < b ? -1 : 1));
  await writeFileAtomic(home.path(FILE), `${JSON.stringify({ plugins: sorted }, null, 2)}\n`);
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
    sha256: await hashOfHashes(Object.entries(files).map(([url, { sha256 }]) => [url, sha256])),
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
    await writeFileAtomic(fileOf(home, await sha256Hex(bytes)), bytes);
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

/** A pin of one run (`URL#sha256=…`) that was fetched before; undefined when it was not. */
export async function readPin(home: Home, sha256: string): Promise<LockedPlugin | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(pinOf(home, sha256)));
  } catch {
    // Never fetched, or damaged: it is fetched again and checked.
    return undefined;
  }
}

export async function keepPin(home: Home, locked: LockedPlugin): Promise<void> {
  await writeFileAtomic(pinOf(home, locked.sha256), JSON.stringify(locked));
}

function pinOf(home: Home, sha256: string): string {
  return joinPath(home.path("cache", "plugins", "pins"), `${sha256}.json`);
}
