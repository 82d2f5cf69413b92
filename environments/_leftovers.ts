/**
 * What a hermes that was killed could not tidy up: its private directory and its processes.
 * The directory's name tells whose it was, so that the next hermes can.
 */
import { killTree } from "./_process_tree.ts";

const NAME = /^hermes-env-(\d+)-([0-9a-z]+)$/;

/** Makes the private directory of the environment `id`. */
export async function makePrivateDir(parent: string, id: string): Promise<string> {
  const dir = `${parent}/hermes-env-${Deno.pid}-${id}`;
  await Deno.mkdir(dir, { mode: 0o700 });
  return dir;
}

/** Ends the processes and removes the directories of owners that are gone; returns those. Only where /proc tells. */
export async function removeLeftovers(parent: string): Promise<string[]> {
  const removed: string[] = [];
  if (!await exists("/proc/self")) return removed;
  for await (const { name } of Deno.readDir(parent)) {
    const [, pid, id] = NAME.exec(name) ?? [];
    if (pid === undefined || await exists(`/proc/${pid}`)) continue;
    const dir = `${parent}/${name}`;
    try {
      if ((await Deno.lstat(dir)).uid !== Deno.uid()) continue;
      await killTree({ leaders: [], marker: `${id}.` });
      await Deno.remove(dir, { recursive: true });
      removed.push(dir);
    } catch (error) {
      // Another hermes is tidying up at the same time.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return removed;
}

/** False also for what may not be looked at: it cannot be used either. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    return false; // See above.
  }
}
