/** Whether something is there. */

/** False also for what may not be looked at: it cannot be used either. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    return false; // See above.
  }
}
