/**
 * The private directory of a child: made before it starts, removed after its end, and by a later
 * hermes when this one was killed. Its name tells whose it is.
 */
import { isDying } from "../../process/dying.ts";
import { orphanedDirs } from "../../process/orphans.ts";
import { dirname, isWithin, joinPath } from "../../util/path.ts";
import { removeTree } from "../../util/remove_tree.ts";

export interface Place {
  directory: string;
  socket: string;
  /** The only place where the child may write files. */
  scratch: string;
}

/** Deno takes everything there for a device, and asks for all permissions; some set TMPDIR to it. */
const GUARDED = /^\/(dev|proc|sys)\//;
/** What fits into the address of a socket on every system. */
const MAX_SOCKET_BYTES = 103;
const NAME = /^hermes-child-(\d+)-/;

/** Synchronous: three small calls are done sooner than a thread starts. */
export function makePlace(options: { tempDir: string | undefined }): Place {
  const directory = makeDirectory(options.tempDir);
  const scratch = joinPath(directory, "scratch");
  Deno.mkdirSync(scratch, { mode: 0o700 });
  return { directory, scratch, socket: socketPath(directory) };
}

function makeDirectory(tempDir: string | undefined): string {
  const options = { prefix: `hermes-child-${Deno.pid}-` };
  if (tempDir !== undefined) return Deno.makeTempDirSync({ ...options, dir: tempDir });
  try {
    const directory = Deno.makeTempDirSync(options);
    if (isUsable(directory)) return directory;
    Deno.removeSync(directory);
  } catch {
    // TMPDIR is no place where directories can be made.
  }
  return Deno.makeTempDirSync({ ...options, dir: "/tmp" });
}

/** A comma would end the socket's name in the flags of the runtime. */
function isUsable(directory: string): boolean {
  const { length } = new TextEncoder().encode(socketPath(directory));
  return directory.startsWith("/") && !GUARDED.test(directory) && !directory.includes(",") &&
    length <= MAX_SOCKET_BYTES;
}

function socketPath(directory: string): string {
  return joinPath(directory, "rpc");
}

/** Parents that were tidied up by this process. */
const tidied = new Set<string>();
/** The result of a script waits for this; what stays is the next hermes' to remove. */
const REMOVE_MS = 2000;
const TIDY_MS = 300;

/** Removes the directory, and once what others that were killed left beside it. */
export async function removePlace(
  { directory }: Pick<Place, "directory">,
  tidyMs: number = TIDY_MS,
): Promise<void> {
  await removeTree(directory, { deadlineAt: performance.now() + REMOVE_MS });
  const parent = dirname(directory);
  if (tidied.has(parent)) return;
  tidied.add(parent);
  const orphans = (await Array.fromAsync(orphanedDirs(parent, NAME))).map(({ path }) => path);
  if (orphans.length === 0) return;
  // Before anything is removed, and whatever the time: only hermes ends them.
  await endProgramsIn(orphans);
  const deadlineAt = performance.now() + tidyMs;
  for (const path of orphans) {
    if (performance.now() > deadlineAt) return;
    try {
      // Taken over by a name of our own: two that remove one tree keep each other from the end.
      const taken = joinPath(parent, `hermes-child-${Deno.pid}-${crypto.randomUUID()}`);
      await Deno.rename(path, taken);
      await removeTree(taken, { deadlineAt });
    } catch {
      // Another hermes was faster; what stays is the next one's.
    }
  }
}

/**
 * Ends what a plugin of a killed hermes had started. It works there still, in a session that has
 * lost its leader; somebody who looks around there has another.
 */
async function endProgramsIn(directories: readonly string[]): Promise<void> {
  if (Deno.build.os !== "linux") return;
  for await (const { name: pid } of Deno.readDir("/proc")) {
    try {
      const cwd = await Deno.readLink(`/proc/${pid}/cwd`);
      if (!directories.some((directory) => isWithin(cwd, directory))) continue;
      const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
      // Zero: a leader that cannot be seen from here.
      const [, leader = "0"] = /^.*\) \S \d+ \d+ (\d+) /s.exec(stat) ?? [];
      const isLed = leader === "0" || !await isDying(leader);
      if (!isLed) Deno.kill(Number(pid), "SIGKILL");
    } catch {
      // No process, one of another user, or gone by now.
    }
  }
}
