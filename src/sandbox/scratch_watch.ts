/**
 * The size of a scratch directory while a script runs: a limit per file is the kernel's, the sum
 * of all files is nobody's but ours.
 */
import { joinPath } from "../util/path.ts";
import { sleep } from "../util/sleep.ts";

const LOOK_MS = 500;
const ENTRY_BYTES = 4096;

/** Calls `onFull` once the files below `directory` hold more than `maxBytes`; returns how to stop. */
export function watchScratch(
  directory: string,
  options: { maxBytes: number; onFull: () => void },
): () => Promise<void> {
  const stopped = new AbortController();
  async function look(): Promise<void> {
    while (!stopped.signal.aborted) {
      if (await sizeOf(directory) > options.maxBytes) return options.onFull();
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

/** Bytes of all files, and a block for each entry; what disappears meanwhile counts nothing. */
async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of Deno.readDir(directory)) {
      const path = joinPath(directory, entry.name);
      bytes += ENTRY_BYTES;
      bytes += entry.isDirectory ? await sizeOf(path) : (await Deno.lstat(path)).size;
    }
  } catch (error) {
    // What cannot be looked into, or lies deeper than a path is long, could hold anything.
    if (!isGone(error)) return Infinity;
  }
  return bytes;
}

/** Removed or replaced by the script between listing and looking. */
function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}
