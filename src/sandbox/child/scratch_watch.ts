/**
 * The size of a scratch directory while a script runs: a limit per file is the kernel's, the sum
 * of all files is nobody's but ours.
 */
import { joinPath } from "../../util/path.ts";
import { sleep } from "../../util/sleep.ts";

const LOOK_MS = 500;
/** More than an entry takes on the disk: removing very many takes longer than making them. */
const ENTRY_BYTES = 16 * 1024;
const BLOCK_BYTES = 512;
/** Addresses, inode and path in a line of `/proc/PID/maps`. */
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ (\d+)\s+(\/.*)$/;

export interface WatchOptions {
  /** The process whose removed files count as well. Linux only. */
  pid?: number;
  maxBytes: number;
  onFull: () => void;
}

/** Calls `onFull` once the files below `directory` hold more than `maxBytes`; returns how to stop. */
export function watchScratch(directory: string, options: WatchOptions): () => Promise<void> {
  const { pid, maxBytes } = options;
  const stopped = new AbortController();
  async function look(): Promise<void> {
    while (!stopped.signal.aborted) {
      const hidden = pid === undefined ? 0 : await removedBytes(pid, directory);
      if (hidden + await sizeOf(directory, maxBytes) > maxBytes) return options.onFull();
      await pause(stopped.signal);
    }
  }
  const looking = look();
  return () => {
    stopped.abort();
    return looking;
  };
}

/** Ends early when there is no more to watch. */
function pause(signal: AbortSignal): Promise<void> {
  return sleep(LOOK_MS, signal).catch(() => {});
}

/**
 * Bytes of all files, and some for each entry; what disappears meanwhile counts nothing. Ends
 * once it is more than `maxBytes`: a script makes entries faster than they can be looked at.
 */
async function sizeOf(root: string, maxBytes: number): Promise<number> {
  let bytes = 0;
  const open = [root];
  try {
    for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
      const entries = await entriesOf(directory);
      bytes += entries.length * ENTRY_BYTES;
      for (const { name, isDirectory } of entries) {
        if (bytes > maxBytes) return bytes;
        const path = joinPath(directory, name);
        if (isDirectory) open.push(path);
        else bytes += await fileBytes(path);
      }
    }
  } catch {
    // What cannot be looked into, or lies deeper than a path is long, could hold anything.
    return Infinity;
  }
  return bytes;
}

async function entriesOf(directory: string): Promise<Deno.DirEntry[]> {
  try {
    return await Array.fromAsync(Deno.readDir(directory));
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

async function fileBytes(path: string): Promise<number> {
  try {
    return bytesOf(await Deno.lstat(path));
  } catch (error) {
    if (isGone(error)) return 0;
    throw error;
  }
}

/** Its length, or what it takes on the disk when that is more. */
function bytesOf({ size, blocks }: Deno.FileInfo): number {
  return Math.max(size, (blocks ?? 0) * BLOCK_BYTES);
}

const REMOVED = " (deleted)";

/**
 * Bytes of files from below `directory` that have no name any more and are still there, because
 * the process has them open or mapped into its memory.
 */
async function removedBytes(pid: number, directory: string): Promise<number> {
  const isRemoved = (target: string) =>
    target.startsWith(`${directory}/`) && target.endsWith(REMOVED);
  /** By inode: many descriptors may stand for one file. */
  const open = new Map<number, number>();
  let mapped = 0;
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
      const link = `/proc/${pid}/fd/${name}`;
      const target = await Deno.readLink(link).catch(() => "");
      if (!isRemoved(target)) continue;
      const info = await Deno.stat(link).catch(() => undefined);
      if (info !== undefined) open.set(info.ino ?? 0, bytesOf(info));
    }
    for (const line of (await Deno.readTextFile(`/proc/${pid}/maps`)).split("\n")) {
      const [, from, to, inode, path = ""] = MAPPING.exec(line) ?? [];
      if (!isRemoved(path) || open.has(Number(inode))) continue;
      mapped += parseInt(to!, 16) - parseInt(from!, 16);
    }
  } catch {
    // A process that hides its mappings could hold anything.
    if (await isRunning(pid)) return Infinity;
  }
  return open.values().reduce((sum, bytes) => sum + bytes, mapped);
}

/** False for one that has ended, whether its parent knows that already or not. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  const [, state = "X"] = /^.*\) (\S)/s.exec(stat) ?? [];
  return !/[ZX]/.test(state);
}

/** Removed or replaced by the script between listing and looking. */
function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}
