/** Directories that a killed process left: their name tells whose they were, so that others can tidy up. */
import { exists } from "../util/exists.ts";

export interface Orphan {
  path: string;
  /** What `pattern` matched in the name. */
  match: RegExpExecArray;
}

/** Directories of this user in `parent` whose process, the first group of `pattern`, is gone. Only where /proc tells. */
export async function* orphanedDirs(parent: string, pattern: RegExp): AsyncGenerator<Orphan> {
  if (!await exists("/proc/self")) return;
  for await (const { name } of Deno.readDir(parent)) {
    const match = pattern.exec(name);
    if (match === null || await exists(`/proc/${match[1]}`)) continue;
    const path = `${parent}/${name}`;
    if (await isOwn(path)) yield { path, match };
  }
}

async function isOwn(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).uid === Deno.uid();
  } catch {
    return false; // Somebody else is tidying up at the same time.
  }
}
