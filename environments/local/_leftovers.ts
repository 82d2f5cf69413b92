/**
 * The private directory and the processes that a killed hermes could not tidy up.
 * The directory's name tells whose it was, so that the next hermes can.
 */
import { orphanedDirs } from "../../src/process/orphans.ts";
import { killTree } from "../../src/process/process_tree.ts";
import { privatePlaces } from "../../src/util/private_places.ts";

const NAME = /^hermes-env-(\d+)-([0-9a-z]+)(?:-\d+)?$/;

/** Makes the private directory of the environment `id`; a later one after the first has gone. */
export async function makePrivateDir(parent: string, id: string, later = 0): Promise<string> {
  const dir = `${parent}/hermes-env-${Deno.pid}-${id}${later === 0 ? "" : `-${later}`}`;
  await Deno.mkdir(dir, { mode: 0o700 });
  const { state, given } = privatePlaces(dir);
  for (const place of [state, given]) await Deno.mkdir(place, { mode: 0o700 });
  return dir;
}

/** Ends the processes and removes the directories of owners that are gone; returns those. */
export async function removeLeftovers(parent: string): Promise<string[]> {
  const removed: string[] = [];
  for await (const { path, match } of orphanedDirs(parent, NAME)) {
    try {
      await killTree({ leaders: [], marker: `${match[2]}.` });
      await Deno.remove(path, { recursive: true });
      removed.push(path);
    } catch (error) {
      // Another hermes is tidying up at the same time.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return removed;
}
