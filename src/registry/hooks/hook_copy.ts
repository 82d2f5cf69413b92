/**
 * Private copies of approved scripts, named by their content: a shell reads its script while it
 * runs it, and whoever overwrites the original meanwhile must not be heard.
 */
import { writeFileAtomic } from "../../util/atomic_write.ts";
import { joinPath } from "../../util/path.ts";
import type { HookProgram } from "./hook_program.ts";

/** The words to run, the script replaced by a copy of the bytes that were compared. */
export async function privateArgv(
  { argv, movable }: HookProgram,
  folder: string,
): Promise<readonly string[]> {
  if (movable === undefined) return argv;
  const { index, name, sha256, bytes, interpreter } = movable;
  const path = joinPath(folder, sha256, name);
  try {
    if (!await holds(path, bytes)) await writeFileAtomic(path, bytes, { mode: 0o500 });
  } catch {
    // A home that cannot be written: the script runs in its place.
    return argv;
  }
  return [...argv.slice(0, index), ...interpreter, path, ...argv.slice(index + 1)];
}

async function holds(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const info = await Deno.lstat(path);
    if (!info.isFile || info.size !== bytes.length) return false;
    const found = await Deno.readFile(path);
    return found.every((byte, index) => byte === bytes[index]);
  } catch {
    // Not made yet.
    return false;
  }
}
