/**
 * Removes a directory that hostile code could write to. A recursion would overflow the stack on a
 * tree that is deep enough and end hermes with it; its owner may have been kept from directories.
 */
import { joinPath } from "./path.ts";

export interface RemoveOptions {
  /** When to leave the rest to a later run, by `performance.now()`; default never. */
  deadlineAt?: number;
}

/** No error when it is gone already. */
export async function removeTree(root: string, options: RemoveOptions = {}): Promise<void> {
  const { deadlineAt = Infinity } = options;
  try {
    // A link is removed, and not what it leads to.
    const isEmpty = !(await Deno.lstat(root)).isDirectory || await flatten(root, deadlineAt);
    if (isEmpty) await Deno.remove(root);
  } catch (error) {
    // Others tidy up at the same time.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * Empties a directory; false when time is up. What lies in its directories is first
 * moved up to it, so that no path gets long.
 */
async function flatten(root: string, deadlineAt: number): Promise<boolean> {
  const directories = [root];
  await Deno.chmod(root, 0o700);
  // Grows while it is walked.
  for (const directory of directories) {
    for await (const { name, isDirectory } of Deno.readDir(directory)) {
      if (performance.now() > deadlineAt) return false;
      const path = joinPath(directory, name);
      if (isDirectory && !await removedEmpty(path)) {
        const isUp = directory === root;
        const above = isUp ? path : joinPath(root, `removed-${crypto.randomUUID()}`);
        await Deno.chmod(path, 0o700);
        if (!isUp) await Deno.rename(path, above);
        directories.push(above);
      } else if (!isDirectory) {
        await Deno.remove(path);
      }
    }
    if (directory !== root) await Deno.remove(directory);
  }
  return true;
}

/** Removes a directory that holds nothing: a script can leave very many of them. */
async function removedEmpty(path: string): Promise<boolean> {
  try {
    await Deno.remove(path);
    return true;
  } catch {
    // The directory is not empty, or may not be read yet.
    return false;
  }
}
