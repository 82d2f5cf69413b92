/**
 * Getting plugins from addresses: fetched and prepared without running them, looked at, pinned.
 * What changed is shown file by file before a new version takes the old one's place.
 */
import type { Home } from "../config/home.ts";
import { HermesError } from "../protocol/error.ts";
import { NO_PERMISSIONS } from "../protocol/plugin.ts";
import { joinPath } from "../util/path.ts";
import { reasonOf } from "../util/reason.ts";
import { removeTree } from "../util/remove_tree.ts";
import { unifiedDiff } from "../text/unified_diff.ts";
import { type LockedPlugin, lockOf, pinSource } from "./lock.ts";
import type { Registrations } from "./messages.ts";
import { Plugin } from "./plugin.ts";
import { PluginProblem } from "./problem.ts";
import { fetchSource } from "./remote.ts";
import { readEntry, sampleConfig } from "./plugin_settings.ts";
import { openSnapshot, type Snapshot, snapshotsOf } from "./snapshot.ts";
import type { FileBytes, PluginSource } from "./source.ts";

export interface FetchedPlugin {
  source: PluginSource;
  snapshot: Snapshot;
  locked: LockedPlugin;
}

/** Fetches a plugin and prepares it; nothing of it runs and nothing is pinned yet. */
export async function fetchPlugin(home: Home, url: string): Promise<FetchedPlugin> {
  const source = await fetchSource(url);
  const snapshot = await openSnapshot(source, snapshotsOf(home));
  const { version } = snapshot.manifest;
  return { source, snapshot, locked: await lockOf(source, { url, version }) };
}

/** Pins a fetched plugin: from now on it loads without a network, as it is now. */
export async function pinPlugin(
  home: Home,
  { source, snapshot, locked }: FetchedPlugin,
): Promise<void> {
  await pinSource(home, { name: snapshot.manifest.name, locked, source });
}

/**
 * What a plugin registers, asked behind every wall and with no permission at all: somebody who
 * has not said yes yet wants to know. Undefined when it needs more than that to tell.
 */
export async function probePlugin(snapshot: Snapshot): Promise<Registrations | undefined> {
  const dir = await makeTempDir();
  const manifest = { ...snapshot.manifest, permissions: NO_PERMISSIONS, requiresEnv: [] };
  try {
    const plugin = await Plugin.load({
      snapshot: { ...snapshot, manifest, dir },
      entry: readEntry({}),
      config: sampleConfig(manifest),
      place: {
        cwd: dir,
        userHome: dir,
        hermesRoot: joinPath(dir, "none"),
        dataDir: joinPath(dir, "data"),
        env: () => undefined,
      },
      log() {},
      onEnd() {},
    });
    await plugin.close();
    return plugin.registrations;
  } catch (error) {
    if (error instanceof PluginProblem) return undefined;
    throw error;
  } finally {
    await removeTree(dir);
  }
}

async function makeTempDir(): Promise<string> {
  try {
    // By this name a later hermes removes what this one leaves when it is killed.
    return await Deno.makeTempDir({ prefix: `hermes-child-${Deno.pid}-probe-` });
  } catch (error) {
    throw new HermesError(`cannot make a temporary folder: ${reasonOf(error)}`, {
      hint: "Make room for it, or set TMPDIR to another directory.",
      cause: error,
    });
  }
}

/**
 * What differs between two versions: one text a file, as `diff -u` prints it. Files are compared
 * by their place beside the entry module: a new version often has an address of its own.
 */
export function compareSources(before: PluginSource, after: PluginSource): string[] {
  const [old, next] = [filesByPlace(before), filesByPlace(after)];
  const places = [...new Set([...old.keys(), ...next.keys()])].sort();
  const changes = places.flatMap((place) => {
    const [from, to] = [old.get(place), next.get(place)];
    if (from && to && isSame(from.bytes, to.bytes)) return [];
    const decoder = new TextDecoder();
    const names = { from: from?.url ?? "/dev/null", to: to?.url ?? "/dev/null" };
    const diff = unifiedDiff(decoder.decode(from?.bytes), decoder.decode(to?.bytes), names);
    // Bytes that are no text look the same once they are decoded.
    return [diff || `Binary files ${names.from} and ${names.to} differ\n`];
  });
  const names = { from: "redirects", to: "redirects" };
  const redirects = unifiedDiff(redirectList(before), redirectList(after), names);
  return redirects === "" ? changes : [...changes, redirects];
}

function filesByPlace({ entry, files }: PluginSource) {
  const folder = new URL(".", entry).href;
  return new Map([...files].map(([url, bytes]) => {
    const place = url.startsWith(folder) ? `./${url.slice(folder.length)}` : url;
    return [place, { url, bytes }];
  }));
}

function redirectList({ redirects = new Map() }: PluginSource): string {
  return [...redirects].map(([from, to]) => `${from} -> ${to}\n`).sort().join("");
}

function isSame(a: FileBytes, b: FileBytes): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
