/** Makes the directories that commands of a policy find ready: caches of the project's own. */
import type { SandboxPolicy } from "../../protocol/sandbox.ts";

/**
 * Makes what is missing, for its owner alone. Returns what could not be made: tools then do
 * without a cache, or say what they miss. Must come before `pathGrants()`, which grants what exists.
 */
export function makeOwnPlaces({ own }: Pick<SandboxPolicy, "own">): string[] {
  return own.filter((path) => {
    try {
      Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
      return false;
    } catch {
      // A home that cannot be written to: the caller tells, where anybody wants to know.
      return true;
    }
  });
}
