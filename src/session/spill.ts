/** Results too large for the context, kept as files the model can page through. */
import { HermesError } from "../protocol/error.ts";
import type { SpillStore } from "../protocol/services.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { sha256Hex } from "../util/hash.ts";
import { joinPath } from "../util/path.ts";
import { removeTree } from "../util/remove_tree.ts";

const MAX_STEM = 140;
const KEEP_MS = 24 * 3_600_000;

export interface SpillOptions {
  /** Absent for a session that keeps nothing: a private directory that is gone at its end. */
  directory?: string;
  /** Where that private directory is made; default the system's place. */
  tempRoot?: string;
  /** Tells the files of one session from those of others: providers repeat their call ids. */
  prefix: string;
  redact(text: string): string;
}

export interface ClosableSpillStore extends SpillStore {
  close(): Promise<void>;
}

/** A spill directory; files of earlier days are removed at the first write, no file is overwritten. */
export function createSpillStore(options: SpillOptions): ClosableSpillStore {
  let opening: Promise<string> | undefined;
  const written = new Map<string, number>();
  return {
    async write(name, text) {
      const directory = await (opening ??= openDirectory(options));
      // A session that was imported brought its id along.
      const stem = await safeStem(`${options.prefix}-${name}`);
      const count = (written.get(stem) ?? 0) + 1;
      written.set(stem, count);
      const path = joinPath(directory, `${stem}${count === 1 ? "" : `-${count}`}.txt`);
      try {
        await writeFileAtomic(path, options.redact(text));
      } catch (error) {
        throw new HermesError(`cannot keep a large result in ${directory}`, { cause: error });
      }
      return path;
    },
    async close() {
      if (options.directory !== undefined) return;
      // A directory that could not be made leaves nothing behind.
      const directory = await opening?.catch(() => undefined);
      if (directory !== undefined) await removeTree(directory);
    },
  };
}

async function openDirectory({ directory, tempRoot }: SpillOptions): Promise<string> {
  if (directory !== undefined) {
    await prune(directory);
    return directory;
  }
  try {
    // By this name a later hermes removes what this one leaves when it is killed.
    return await Deno.makeTempDir({
      prefix: `hermes-child-${Deno.pid}-spill-`,
      ...(tempRoot ? { dir: tempRoot } : {}),
    });
  } catch (error) {
    throw new HermesError("cannot make a temporary directory for a large result", { cause: error });
  }
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
