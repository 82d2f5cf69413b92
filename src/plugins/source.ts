/**
 * A plugin's files as they were found, before anything of them runs: a folder, a single file,
 * or what this build carries. Knows sizes and hashes; `remote.ts` does the same for addresses.
 */
import { sha256Hex } from "../util/hash.ts";
import { basename, joinPath } from "../util/path.ts";
import { PluginProblem, reasonOf } from "./problem.ts";

export type PluginOrigin = "bundled" | "user" | "url" | "project" | "path";

export type FileBytes = Uint8Array<ArrayBuffer>;

export interface PluginSource {
  /** URL of the entry module. */
  entry: string;
  /** Every file by URL: `file:///mod.ts` within a folder, its address otherwise. */
  files: ReadonlyMap<string, FileBytes>;
  /** URL of `plugin.yaml`; absent when the entry module says it all. */
  manifest?: string;
  /** Where an address led when it was fetched. */
  redirects?: ReadonlyMap<string, string>;
}

/** Bounds of any plugin, wherever it comes from. */
export const LIMITS = { files: 500, fileBytes: 5 * 1024 * 1024, totalBytes: 20 * 1024 * 1024 };

const ENTRIES = ["mod.ts", "mod.js"];
const MANIFESTS = ["plugin.yaml", "plugin.yml"];
const SKIPPED = new Set(["node_modules"]);

/**
 * Synchronous: a few small files are read sooner than a thread starts.
 * @throws {PluginProblem} when there is no plugin at the path or it is too large.
 */
export function readSource(path: string): PluginSource {
  const info = statOf(path);
  if (info === undefined) throw new PluginProblem(`there is nothing at ${path}`);
  if (!info.isDirectory && !info.isFile) {
    throw new PluginProblem(`${path} is neither a folder nor a file`);
  }
  try {
    if (info.isDirectory) return sourceOf(readFolder(path), path);
    const entry = fileUrl(basename(path));
    return { entry, files: new Map([[entry, readBounded(path)]]) };
  } catch (error) {
    if (error instanceof PluginProblem) throw error;
    throw new PluginProblem(`cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** What is at a path; undefined when nothing is. */
export function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    // Absent, or out of reach: the same to whoever looks for a plugin.
    return undefined;
  }
}

/** Names in a folder; none when there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch {
    // Nothing was ever put there.
    return [];
  }
}

/** A plugin this build carries, as text. */
export function bundledSource(files: Readonly<Record<string, string>>): PluginSource {
  const encoder = new TextEncoder();
  const bytes = Object.entries(files).map(([path, text]): [string, FileBytes] => [
    fileUrl(path),
    encoder.encode(text),
  ]);
  return sourceOf(new Map(bytes), "the build");
}

/** True for a folder that can be a plugin, judged by names alone. */
export function looksLikePlugin(path: string): boolean {
  return [...MANIFESTS, ...ENTRIES].some((name) => statOf(joinPath(path, name))?.isFile);
}

/**
 * The hash that stands for a plugin: of its only file, or of the list of all its files' hashes
 * and of where addresses led, which decides what an import means. It is what `URL#sha256=…`,
 * `plugins.lock` and trust in a project mean.
 */
export async function contentHash(
  { files, redirects }: Pick<PluginSource, "files" | "redirects">,
): Promise<string> {
  return await hashOfHashes(await hashesOf({ files }), redirects);
}

/** The hash of every file by its URL. */
export async function hashesOf(
  { files }: Pick<PluginSource, "files">,
): Promise<[string, string][]> {
  return await Promise.all(
    [...files].map(async (
      [url, bytes],
    ): Promise<[string, string]> => [url, await sha256Hex(bytes)]),
  );
}

/** The same from hashes that are known already. */
export async function hashOfHashes(
  hashes: readonly (readonly [string, string])[],
  redirects: Iterable<readonly [string, string]> = [],
): Promise<string> {
  if (hashes.length === 1) return hashes[0]![1];
  const lines = hashes.map(([url, hash]) => `${hash}  ${url}\n`);
  const led = [...redirects].map(([from, to]) => `${from} -> ${to}\n`);
  return await sha256Hex([...lines.sort(), ...led.sort()].join(""));
}

function sourceOf(files: Map<string, FileBytes>, place: string): PluginSource {
  const find = (names: readonly string[]) => names.map(fileUrl).find((url) => files.has(url));
  const entry = find(ENTRIES);
  if (entry === undefined) {
    throw new PluginProblem(`${place} has no ${ENTRIES[0]}, so it is no plugin`, {
      hint: "It must be a file: hidden ones and links are passed over.",
    });
  }
  const manifest = find(MANIFESTS);
  return { entry, files, ...(manifest === undefined ? {} : { manifest }) };
}

/** How messages call a file of a plugin. */
export function shortName(url: string): string {
  if (!url.startsWith("file:///")) return url;
  const path = url.slice("file:///".length);
  try {
    return decodeURIComponent(path);
  } catch {
    // Only an import can be spelt so; no file is called that.
    return path;
  }
}

/** The `file:` URL of a path below the root. */
export function fileUrl(path: string): string {
  return new URL(`file:///${encodePath(path)}`).href;
}

/** A path as it stands in a URL. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function readFolder(root: string): Map<string, FileBytes> {
  const files = new Map<string, FileBytes>();
  let totalBytes = 0;
  for (const path of walk(root, "")) {
    const bytes = readBounded(joinPath(root, path));
    totalBytes += bytes.length;
    files.set(fileUrl(path), bytes);
    if (files.size > LIMITS.files || totalBytes > LIMITS.totalBytes) {
      throw new PluginProblem(`${root} is too large for a plugin: ${describeLimits()}`);
    }
  }
  return files;
}

/** Files below a folder, sorted; hidden ones and links are passed over. */
function* walk(root: string, prefix: string): Generator<string> {
  const entries = [...Deno.readDirSync(joinPath(root, prefix))];
  for (const entry of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) continue;
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory) yield* walk(root, `${path}/`);
    else if (entry.isFile) yield path;
  }
}

function readBounded(path: string): FileBytes {
  const { size } = Deno.statSync(path);
  if (size > LIMITS.fileBytes) {
    throw new PluginProblem(`${path} is too large for a plugin: ${describeLimits()}`);
  }
  return Deno.readFileSync(path);
}

export function describeLimits(): string {
  const mb = (bytes: number) => `${bytes / 1024 / 1024} MB`;
  return `at most ${LIMITS.files} files, ${mb(LIMITS.fileBytes)} each, ${
    mb(LIMITS.totalBytes)
  } in all`;
}
