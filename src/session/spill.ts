/** Results too large for the context, kept as files the model can page through. */
import { HermesError } from "../protocol/error.ts";
import type { SpillStore } from "../protocol/services.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { sha256Hex } from "../util/hash.ts";
import { isWithin, joinPath } from "../util/path.ts";
import { removeTree } from "../util/remove_tree.ts";

const MAX_STEM = 140;
const KEEP_MS = 24 * 3_600_000;

export interface SpillOptions {
  /**
   * Where every session has a directory of its own. Absent for a session that keeps nothing: its
   * directory is a private one that is gone at its end.
   */
  root?: string;
  /** Where that private directory is made; default the system's place. */
  tempRoot?: string;
  sessionId: string;
  redact(text: string): string;
}

export interface ClosableSpillStore extends SpillStore {
  close(): Promise<void>;
}

/** The spill directory of a session; those of earlier days are removed at the first write, no file is overwritten. */
export function createSpillStore(options: SpillOptions): ClosableSpillStore {
  let opening: Promise<string> | undefined;
  const written = new Map<string, number>();
  return {
    async write(name, text) {
      const directory = await (opening ??= openDirectory(options));
      const stem = await safeStem(name);
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
    async holds(path) {
      const { root, sessionId } = options;
      const directory = root === undefined
        ? await opening?.catch(() => undefined)
        : joinPath(root, await safeStem(sessionId));
      if (directory === undefined) return false;
      // A directory that is not there holds nothing.
      const real = await Deno.realPath(directory).catch(() => undefined);
      return real !== undefined && isWithin(path, real);
    },
    async close() {
      if (options.root !== undefined) return;
      // A directory that could not be made leaves nothing behind.
      const directory = await opening?.catch(() => undefined);
      if (directory !== undefined) await removeTree(directory);
    },
  };
}

async function openDirectory({ root, tempRoot, sessionId }: SpillOptions): Promise<string> {
  if (root !== undefined) {
    await prune(root);
    // A session that was imported brought its id along.
    return joinPath(root, await safeStem(sessionId));
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
  const isSafe = clean === name && /^[A-Za-z0-9_]/.test(clean);
  if (isSafe && clean.length <= MAX_STEM) return clean;
  const digest = (await sha256Hex(name)).slice(0, 12);
  return `${clean.slice(0, MAX_STEM - 13) || "tool_result"}-${digest}`;
}

async function prune(root: string): Promise<void> {
  const oldest = Date.now() - KEEP_MS;
  try {
    for await (const entry of Deno.readDir(root)) {
      const path = joinPath(root, entry.name);
      const info = await Deno.lstat(path);
      if ((info.mtime?.getTime() ?? Infinity) < oldest) await removeTree(path);
    }
  } catch {
    // No directory yet, or another process pruned it first: nothing is lost either way.
  }
}
