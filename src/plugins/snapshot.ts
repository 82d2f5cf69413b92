/**
 * A plugin made ready to run: manifest checked, modules turned to JavaScript, everything copied
 * to one folder of the cache that is named by its content and sealed. What was hashed is what
 * runs: a folder whose seal or whose files do not fit is made again.
 */
import type { Home } from "../config/home.ts";
import { notWritable } from "../config/not_writable.ts";
import { closeCommand, othersWhoChange } from "../config/other_users.ts";
import type { PluginManifest } from "../protocol/plugin.ts";
import { sha256Hex } from "../util/hash.ts";
import { randomId } from "../util/id.ts";
import { basename, dirname, joinPath } from "../util/path.ts";
import type { Seal } from "../util/seal.ts";
import { VERSION } from "../util/version.ts";
import { PluginProblem } from "./problem.ts";
import { sealOf } from "./records.ts";
import {
  contentHash,
  type FileBytes,
  fileUrl,
  namesIn,
  type PluginSource,
  shortName,
  statOf,
} from "./source.ts";

export interface Snapshot {
  /** The plugin's own folder in the cache. */
  dir: string;
  /** What its process may read: prepared modules and data files. */
  modulesDir: string;
  /** `file:` URL of the entry module. */
  entryUrl: string;
  manifest: PluginManifest;
  /** Of the files as they were found. */
  hash: string;
  /** Hash of every prepared file, by its path below the modules folder. */
  files: Readonly<Record<string, string>>;
  /** Seals what is kept beside the modules. */
  seal: Seal;
}

/** Where prepared plugins are kept, and what their seals are made with. */
export interface SnapshotCache {
  dir: string;
  seal: Seal;
}

interface StoredSnapshot {
  entry: string;
  manifest: PluginManifest;
  /** Hash of every prepared file, by its path below the modules folder. */
  files: Record<string, string>;
}

const FORMAT = 5;
const PURPOSE = "plugin snapshot";
const KEEP_MS = 7 * 24 * 3_600_000;

/** The prepared plugins of a home. */
export function snapshotsOf(home: Home): SnapshotCache {
  return { dir: home.path("cache", "plugins", "snapshots"), seal: sealOf(home) };
}

/** The snapshot of a source, made at first sight. @throws {PluginProblem} when the plugin cannot be used. */
export async function openSnapshot(source: PluginSource, cache: SnapshotCache): Promise<Snapshot> {
  const hash = await contentHash(source);
  const key = await sha256Hex(`${FORMAT}\n${VERSION}\n${source.entry}\n${hash}`);
  const place = { dir: joinPath(cache.dir, key), seal: cache.seal };
  const stored = await readStored(place) ?? await build(source, place);
  const { dir } = place;
  requirePrivate(dir);
  markUsed(dir);
  const modulesDir = joinPath(dir, "modules");
  const entryUrl = fileUrl(`${modulesDir}${stored.entry}`.slice(1));
  const { manifest, files } = stored;
  return { dir, modulesDir, entryUrl, manifest, hash, files, seal: cache.seal };
}

/**
 * Looks at the prepared files once more, right before they are loaded.
 * @throws {PluginProblem} when they are not those that were checked.
 */
export async function requireWhole({ dir, modulesDir, files }: Snapshot): Promise<void> {
  requirePrivate(dir);
  if (await areWhole(modulesDir, files)) return;
  throw new PluginProblem("its prepared files were changed after they were checked", {
    hint: "Start hermes again: they are made anew.",
  });
}

/** Between the look and the load no other user may put files there. @throws {PluginProblem} */
function requirePrivate(dir: string): void {
  const above = dirname(dir);
  for (const path of [above, dir, joinPath(dir, "modules")]) {
    const info = statOf(path);
    const who = info && othersWhoChange(info, Deno.uid());
    // The sticky bit of a directory like /tmp keeps others from replacing what is in it.
    const isSticky = path === above && ((info?.mode ?? 0) & 0o1000) !== 0;
    if (who === undefined || isSticky) continue;
    throw new PluginProblem(`${who} can change ${path}, from where it is loaded`, {
      hint: `${closeCommand(info!, Deno.uid())} ${path}`,
    });
  }
}

/** The snapshot if it is whole: what was edited, cut short, added to or removed in part is never run. */
async function readStored({ dir, seal }: SnapshotCache): Promise<StoredSnapshot | undefined> {
  try {
    const { snapshot, seal: made } = readSealed(dir);
    if (!await seal.verify(PURPOSE, sealedText(dir, snapshot), made)) return undefined;
    const stored: StoredSnapshot = JSON.parse(snapshot);
    return await areWhole(joinPath(dir, "modules"), stored.files) ? stored : undefined;
  } catch {
    // Not made yet, or half removed: made again.
    return undefined;
  }
}

function readSealed(dir: string): { snapshot: string; seal: string } {
  return JSON.parse(Deno.readTextFileSync(joinPath(dir, "plugin.json")));
}

/** The folder's name stands for the source: what was sealed for another does not fit. */
function sealedText(dir: string, snapshot: string): string {
  return `${basename(dir)}\n${snapshot}`;
}

/** True when the folder holds these files and no others. */
async function areWhole(
  modulesDir: string,
  files: Readonly<Record<string, string>>,
): Promise<boolean> {
  const expected = Object.entries(files);
  try {
    if (countFiles(modulesDir) !== expected.length) return false;
    const isSame = await Promise.all(
      readAll(modulesDir, expected).map(async ({ hash, bytes }) => hash === await sha256Hex(bytes)),
    );
    return isSame.every(Boolean);
  } catch {
    // A file is gone, or is none.
    return false;
  }
}

/** Synchronous: a few small files are read sooner than a thread starts. */
function readAll(modulesDir: string, files: readonly (readonly [string, string])[]) {
  return files.map(([path, hash]) => ({
    hash,
    bytes: Deno.readFileSync(joinPath(modulesDir, path)),
  }));
}

function countFiles(folder: string): number {
  let count = 0;
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    count += isDirectory ? countFiles(joinPath(folder, name)) : 1;
  }
  return count;
}

/** What is used is not pruned. */
function markUsed(dir: string): void {
  try {
    Deno.utimeSync(dir, new Date(), new Date());
  } catch {
    // In a home that cannot be written nothing is pruned either.
  }
}

/** Writes a new snapshot beside the others; the first of two at once wins. */
async function build(source: PluginSource, place: SnapshotCache): Promise<StoredSnapshot> {
  const { manifest, entry, files } = await prepare(source);
  const hashes = await Promise.all(
    [...files].map(async ([path, bytes]) => [path, await sha256Hex(bytes)] as const),
  );
  const stored: StoredSnapshot = { entry, manifest, files: Object.fromEntries(hashes) };
  const { dir, seal } = place;
  const cacheDir = dirname(dir);
  const temporary = `${dir}.${randomId(8)}.tmp`;
  try {
    await Deno.mkdir(cacheDir, { recursive: true, mode: 0o700 });
    await prune(cacheDir);
    for (const [path, content] of files) {
      const target = joinPath(temporary, "modules", path);
      await Deno.mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await Deno.writeFile(target, content);
    }
    const snapshot = JSON.stringify(stored);
    const made = await seal.sign(PURPOSE, sealedText(dir, snapshot));
    const text = JSON.stringify({ snapshot, seal: made });
    await Deno.writeTextFile(joinPath(temporary, "plugin.json"), text);
    await moveTo(place, temporary);
  } catch (error) {
    // The copy may not have come that far.
    await Deno.remove(temporary, { recursive: true }).catch(() => {});
    // Another process may have been first: the content is the same then.
    if (await readStored(place) === undefined) throw notWritable(cacheDir, error);
  }
  return stored;
}

/** Puts a folder in its place; a damaged one that is there gives way, a whole one does not. */
async function moveTo(place: SnapshotCache, temporary: string): Promise<void> {
  const { dir } = place;
  try {
    return await Deno.rename(temporary, dir);
  } catch (error) {
    if (statOf(dir) === undefined || await readStored(place) !== undefined) throw error;
  }
  const damaged = `${temporary}.damaged`;
  await Deno.rename(dir, damaged);
  await Deno.rename(temporary, dir);
  await Deno.remove(damaged, { recursive: true });
}

/** Removes what was prepared of a plugin, in all its versions, whole or not. */
export async function removeSnapshots({ dir }: SnapshotCache, id: string): Promise<void> {
  for (const name of await namesIn(dir)) {
    const folder = joinPath(dir, name);
    if (preparedName(folder) === id) await Deno.remove(folder, { recursive: true });
  }
}

/** Whose snapshot a folder says it is; undefined when it says nothing. */
function preparedName(folder: string): string | undefined {
  try {
    return JSON.parse(readSealed(folder).snapshot).manifest.name;
  } catch {
    // Damaged: it is pruned with time.
    return undefined;
  }
}

async function prune(cacheDir: string): Promise<void> {
  const oldest = Date.now() - KEEP_MS;
  for await (const { name, isDirectory } of Deno.readDir(cacheDir)) {
    const path = joinPath(cacheDir, name);
    const info = await Deno.stat(path).catch(() => undefined);
    if (!isDirectory || (info?.mtime?.getTime() ?? Infinity) > oldest) continue;
    // Another process may be pruning too; what is gone is gone.
    await Deno.remove(path, { recursive: true }).catch(() => {});
  }
}

interface Prepared {
  manifest: PluginManifest;
  /** Path of the entry module below the modules folder. */
  entry: string;
  files: Map<string, FileBytes>;
}

const CODE = /\.(m?[jt]s|[jt]sx)$/;

/** From files as found to files as run. */
async function prepare(source: PluginSource): Promise<Prepared> {
  const { linkModule, preparedPath, scanModule, API_FILE } = await import("./modules.ts");
  const { PLUGIN_API_JS } = await import("./runtime_data.ts");
  const { TypeStripper } = await import("../sandbox/script/type_stripper.ts");
  await using stripper = new TypeStripper();
  const encoder = new TextEncoder();
  const files = new PreparedFiles();
  files.add(API_FILE, { content: encoder.encode(PLUGIN_API_JS), url: "hermes/plugin" });
  const finalUrl = (url: string) => source.redirects?.get(url) ?? url;
  const queue = [source.entry];
  const seen = new Set(queue);
  let manifest = await yamlManifest(source);
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    const scanned = await scanModule({ url, bytes: bytesOf(source, url) }, stripper);
    if (url === source.entry) manifest ??= await moduleManifest(scanned.program, url);
    const content = encoder.encode(linkModule(scanned, { from: url, finalUrl }));
    files.add(preparedPath(url, true), { content, url });
    for (const site of scanned.imports) {
      if (site.url === undefined) continue;
      const target = finalUrl(site.url);
      const content = bytesOf(source, target, url);
      if (site.isData) files.add(preparedPath(target, false), { content, url: target });
      else if (!seen.has(target)) queue.push(target);
      if (!site.isData) seen.add(target);
    }
  }
  for (const [url, content] of source.files) {
    if (url.startsWith("file:") && !CODE.test(url)) {
      files.add(preparedPath(url, false), { content, url });
    }
  }
  return { manifest: manifest!, entry: preparedPath(source.entry, true), files: files.content };
}

/** Files by their path in the snapshot, each of which only one of the plugin's files can have. */
class PreparedFiles {
  readonly content = new Map<string, FileBytes>();
  readonly #owners = new Map<string, string>();
  readonly #folders = new Set<string>();

  /** @throws {PluginProblem} when another file is where this one or its folder must be. */
  add(path: string, { content, url }: { content: FileBytes; url: string }): void {
    const folders = path.split("/").slice(1, -1).map((_, index, names) =>
      `/${names.slice(0, index + 1).join("/")}`
    );
    const rival = [path, ...folders].map((one) => this.#owners.get(one)).find((owner) =>
      owner !== undefined && owner !== url
    );
    if (rival !== undefined || this.#folders.has(path)) {
      const other = shortName(rival ?? "its other files");
      throw new PluginProblem(`${shortName(url)} cannot be kept beside ${other}: rename one`);
    }
    this.content.set(path, content);
    this.#owners.set(path, url);
    for (const folder of folders) this.#folders.add(folder);
  }
}

function bytesOf(source: PluginSource, url: string, importer?: string): FileBytes {
  const bytes = source.files.get(url);
  if (bytes !== undefined) return bytes;
  const [from, to] = [shortName(importer ?? source.entry), shortName(url)];
  throw new PluginProblem(`${from} imports ${to}, which is not among the plugin's files`);
}

async function yamlManifest(source: PluginSource): Promise<PluginManifest | undefined> {
  if (source.manifest === undefined) return undefined;
  const { readYamlManifest } = await import("./manifest.ts");
  const text = new TextDecoder().decode(source.files.get(source.manifest));
  return readYamlManifest(text, shortName(source.manifest));
}

async function moduleManifest(
  program: Parameters<typeof import("./manifest.ts").readModuleManifest>[0],
  url: string,
): Promise<PluginManifest> {
  const { readModuleManifest } = await import("./manifest.ts");
  const file = shortName(url);
  const manifest = readModuleManifest(program, file);
  if (manifest !== undefined) return manifest;
  throw new PluginProblem(`there is no plugin.yaml, and ${file} has no "export const manifest"`);
}
