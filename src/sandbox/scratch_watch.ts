/**
 * The size of a scratch directory while a script runs: a limit per file is the kernel's, the sum
 * of all files is nobody's but ours.
 */
import { joinPath } from "../util/path.ts";
import { sleep } from "../util/sleep.ts";

const LOOK_MS = 500;

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

/** Bytes of all files; what disappears meanwhile counts nothing. */
async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  try {
    for await (const entry of Deno.readDir(directory)) {
      const path = joinPath(directory, entry.name);
      bytes += entry.isDirectory ? await sizeOf(path) : (await Deno.lstat(path)).size;
    }
  } catch {
    // Removed by the script between listing and looking.
  }
  return bytes;
}
