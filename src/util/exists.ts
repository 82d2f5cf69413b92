/** True when a file or directory exists at `path`; false also where hermes may not look. */

/** True also for a link that leads nowhere. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    return false; // See above.
  }
}

/** Follows links. Blocking: one look takes less time than the start of a thread. */
export function existsSync(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false; // See above.
  }
}
