/**
 * The processes that a run of the tests has left: those that name one of the run's directories as
 * their working directory, in their environment or in their arguments. Every test works there.
 */

export interface Leftover {
  pid: number;
  /** The command line. */
  command: string;
}

/** How many rounds: a process may start another one while it is being ended. */
const ROUNDS = 5;

/** The processes of this machine that name one of `directories`, but this one. */
export async function findLeftovers(directories: readonly string[]): Promise<Leftover[]> {
  if (Deno.build.os !== "linux") return [];
  const found: Leftover[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === Deno.pid) continue;
    const command = await readWords(`/proc/${name}/cmdline`);
    const mentions = [
      command,
      await readWords(`/proc/${name}/environ`),
      await Deno.readLink(`/proc/${name}/cwd`).catch(() => ""),
    ];
    if (command !== "" && directories.some((path) => mentions.some((t) => t.includes(path)))) {
      found.push({ pid, command });
    }
  }
  return found;
}

/** A process that ends meanwhile, or that belongs to another user, has nothing to read. */
async function readWords(path: string): Promise<string> {
  const text = await Deno.readTextFile(path).catch(() => "");
  return text.replaceAll("\0", " ").trim();
}

/** Ends them all; those that were found first. */
export async function endLeftovers(directories: readonly string[]): Promise<Leftover[]> {
  const first = await findLeftovers(directories);
  let left = first;
  for (let round = 0; left.length > 0 && round < ROUNDS; round++) {
    for (const { pid } of left) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    left = await findLeftovers(directories);
  }
  return first;
}
