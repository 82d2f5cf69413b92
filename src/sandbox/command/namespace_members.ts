/**
 * Whoever is left behind the walls when they are taken down. A program can leave its session and
 * its parents and clear its variables, but not the view of the file system that it was started in;
 * once nobody puts protected files back any more, it must not be there to change them.
 */
const ROUNDS = 200;
const PAUSE_MS = 5;

/** The mount namespace of a process, as one word; undefined when it is gone or not ours to see. */
export function mountNamespace(pid: number | "self"): string | undefined {
  try {
    return Deno.readLinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return undefined;
  }
}

/** Ends every process in the namespace but its keeper, and those that they start meanwhile. */
export async function endMembers(namespace: string, keeper: number): Promise<void> {
  if (namespace === mountNamespace("self")) return;
  for (let round = 0; round < ROUNDS; round++) {
    const members = membersOf(namespace).filter((pid) => pid !== keeper);
    if (members.length === 0) return;
    for (const pid of members) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function membersOf(namespace: string): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name))
    .filter((pid) => pid > 0 && mountNamespace(pid) === namespace);
}
