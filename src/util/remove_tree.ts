/**
 * Removes a directory that hostile code could write to. A recursion would overflow the stack on a
 * tree that is deep enough and end hermes with it; its owner may have been kept from directories.
 */
import { joinPath } from "./path.ts";

/** No error when it is gone already. */
export async function removeTree(root: string): Promise<void> {
  try {
    // A link is removed, and not what it leads to.
    if ((await Deno.lstat(root)).isDirectory) await flatten(root);
    await Deno.remove(root);
  } catch (error) {
    // Others tidy up at the same time.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Empties a directory. What lies in its directories is first moved up to it, so that no path gets long. */
async function flatten(root: string): Promise<void> {
  const directories = [root];
  await Deno.chmod(root, 0o700);
  // Grows while it is walked.
  for (const directory of directories) {
    for await (const { name, isDirectory } of Deno.readDir(directory)) {
      const path = joinPath(directory, name);
      if (isDirectory) {
        const isUp = directory === root;
        const above = isUp ? path : joinPath(root, `removed-${crypto.randomUUID()}`);
        await Deno.chmod(path, 0o700);
        if (!isUp) await Deno.rename(path, above);
        directories.push(above);
      } else {
        await Deno.remove(path);
      }
    }
    if (directory !== root) await Deno.remove(directory);
  }
}
