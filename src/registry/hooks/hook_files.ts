/**
 * The files a hook's consent covers, one at a time: what is at a path, who can change it, and
 * the hash of its content. Follows links and remembers both ends. Knows nothing of commands.
 */
import { sha256Hex } from "../../util/hash.ts";
import { dirname } from "../../util/path.ts";
import { SYSTEM_PLACES } from "./hook_program_data.ts";

export interface CoveredFile {
  /** Absolute, links not followed. */
  path: string;
  /** Where its links lead, when that is elsewhere. */
  real?: string;
  /** Absent for a program that only the system's administrator can change. */
  sha256?: string;
  /** Size, times and inode of a large file: while they are the same it is not read again. */
  stamp?: string;
}

export interface FoundFile {
  covered: CoveredFile;
  mode: number;
  /** The bytes that were hashed; absent for large files and for the system's. */
  bytes?: Uint8Array<ArrayBuffer>;
}

/** What is larger is read once and then known by its stamp. */
const LARGE_BYTES = 1024 * 1024;
/** What is larger still is known by its stamp alone. */
const HUGE_BYTES = 512 * LARGE_BYTES;
/** Made while they are read. */
const KERNEL_FILES = /^\/(?:proc|sys|dev)\//;
/** Clocks of file systems are coarse: a younger file could change and keep its stamp. */
const SETTLED_MS = 2_000;

/** A file is read only when it is wanted: what a script names may be endless, or answer never. */
export interface FileSearch {
  wanted(mode: number): boolean;
  known(path: string): CoveredFile | undefined;
}

/** The file at a path; undefined when there is none that is wanted and could be read. */
export async function findFile(path: string, search: FileSearch): Promise<FoundFile | undefined> {
  try {
    const real = await Deno.realPath(path);
    const info = await Deno.stat(real);
    const mode = info.mode ?? 0;
    if (!info.isFile || KERNEL_FILES.test(real) || !search.wanted(mode)) return undefined;
    if (await isSystems(real)) {
      // A link of the system may lead to a new version; anybody else's may not.
      const led = await isSystems(path) ? {} : { real };
      return { covered: { path, ...led }, mode };
    }
    const led = real === path ? {} : { real };
    if (info.size > LARGE_BYTES) return { covered: await largeFile(path, { real, search }), mode };
    const bytes = await Deno.readFile(real);
    return { covered: { path, ...led, sha256: await sha256Hex(bytes) }, mode, bytes };
  } catch {
    // Gone, or out of reach: nothing that could run.
    return undefined;
  }
}

async function largeFile(
  path: string,
  { real, search }: { real: string; search: FileSearch },
): Promise<CoveredFile> {
  const info = await Deno.stat(real);
  const led = real === path ? {} : { real };
  const stamp = stampOf(info);
  const before = search.known(path);
  if (before?.sha256 && before.stamp === stamp && before.real === led.real) return before;
  if (info.size > HUGE_BYTES) return { path, ...led, sha256: `not read: ${stamp}` };
  const isSettled = Date.now() - (info.ctime?.getTime() ?? Infinity) > SETTLED_MS;
  const sha256 = await sha256Hex(await Deno.readFile(real));
  return { path, ...led, sha256, ...(isSettled ? { stamp } : {}) };
}

/** Whoever changes a file changes one of these; `ctime` cannot be set by hand. */
export function stampOf({ size, mtime, ctime, ino, dev }: Deno.FileInfo): string {
  return [size, mtime?.getTime(), ctime?.getTime(), ino, dev].join(" ");
}

/** True when only the system's administrator can change the file, or put another in its place. */
async function isSystems(path: string): Promise<boolean> {
  if (Deno.uid() === 0 && !SYSTEM_PLACES.test(path)) return false;
  for (let place = path;; place = dirname(place)) {
    const { uid, mode, isSymlink } = await Deno.lstat(place);
    if (uid !== 0 || (!isSymlink && ((mode ?? 0o777) & 0o022) !== 0)) return false;
    if (place === "/") return true;
  }
}

/** What differs between the files agreed to and those there are now; undefined when nothing does. */
export function differenceOf(
  agreed: readonly CoveredFile[],
  now: readonly CoveredFile[],
): string | undefined {
  const byPath = new Map(agreed.map((file) => [file.path, file]));
  for (const file of now) {
    const before = byPath.get(file.path);
    if (before === undefined) return `it would also run ${file.path}`;
    if (before.real !== file.real) return `${file.path} leads to ${file.real ?? "itself"} now`;
    if (before.sha256 !== file.sha256) return `${file.path} has changed`;
    byPath.delete(file.path);
  }
  const [gone] = byPath.keys();
  return gone === undefined ? undefined : `${gone} is not what it runs any more`;
}
