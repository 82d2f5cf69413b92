/** Results too large for the context, kept as files the model can page through. */
import { HermesError } from "../protocol/error.ts";
import type { SpillStore } from "../protocol/services.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { sha256Hex } from "../util/hash.ts";
import { joinPath } from "../util/path.ts";

const MAX_STEM = 120;
const KEEP_MS = 24 * 3_600_000;

export interface SpillOptions {
  directory: string;
  /** Tells the files of one session from those of others: providers repeat their call ids. */
  prefix: string;
  redact(text: string): string;
}

/** A spill directory; files of earlier days are removed at the first write, no file is overwritten. */
export function createSpillStore({ directory, prefix, redact }: SpillOptions): SpillStore {
  let pruned: Promise<void> | undefined;
  const written = new Map<string, number>();
  return {
    async write(name, text) {
      pruned ??= prune(directory);
      await pruned;
      const stem = `${prefix}-${await safeStem(name)}`;
      const count = (written.get(stem) ?? 0) + 1;
      written.set(stem, count);
      const path = joinPath(directory, `${stem}${count === 1 ? "" : `-${count}`}.txt`);
      try {
        await writeFileAtomic(path, redact(text));
      } catch (error) {
        throw new HermesError(`cannot keep a large result in ${directory}`, { cause: error });
      }
      return path;
    },
  };
}

async function safeStem(name: string): Promise<string> {
  const clean = name.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
  if (clean !== "" && clean === name && clean.length <= MAX_STEM) return clean;
  const digest = (await sha256Hex(name)).slice(0, 12);
  return `${clean.slice(0, MAX_STEM - 13) || "tool_result"}-${digest}`;
}

async function prune(directory: string): Promise<void> {
  const oldest = Date.now() - KEEP_MS;
  try {
    for await (const entry of Deno.readDir(directory)) {
      const path = joinPath(directory, entry.name);
      const info = await Deno.stat(path);
      if ((info.mtime?.getTime() ?? Infinity) < oldest) await Deno.remove(path);
    }
  } catch {
    // No directory yet, or another process pruned it first: nothing is lost either way.
  }
}
