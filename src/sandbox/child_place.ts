/**
 * The private directory of a child: made before it starts, removed after its end, and by a later
 * hermes when this one was killed. Its name tells whose it is.
 */
import { orphanedDirs } from "../util/orphans.ts";
import { dirname, joinPath } from "../util/path.ts";

export interface Place {
  directory: string;
  socket: string;
  /** The only place where the child may write files. */
  scratch: string;
}

/** Deno takes everything there for a device, and asks for all permissions; some set TMPDIR to it. */
const GUARDED = /^\/(dev|proc|sys)\//;
const NAME = /^hermes-child-(\d+)-/;

/** Synchronous: three small calls are done sooner than a thread starts. */
export function makePlace(options: { tempDir: string | undefined; withCache: boolean }): Place {
  const directory = makeDirectory(options.tempDir);
  const scratch = joinPath(directory, "scratch");
  Deno.mkdirSync(scratch, { mode: 0o700 });
  if (options.withCache) Deno.mkdirSync(cacheDir(directory), { mode: 0o700 });
  return { directory, scratch, socket: joinPath(directory, "rpc") };
}

/** Where the runtime keeps compiled modules when nobody gives it another place. */
export function cacheDir(directory: string): string {
  return joinPath(directory, "deno");
}

function makeDirectory(tempDir: string | undefined): string {
  const options = { prefix: `hermes-child-${Deno.pid}-` };
  if (tempDir !== undefined) return Deno.makeTempDirSync({ ...options, dir: tempDir });
  const directory = Deno.makeTempDirSync(options);
  if (!GUARDED.test(directory)) return directory;
  Deno.removeSync(directory);
  return Deno.makeTempDirSync({ ...options, dir: "/tmp" });
}

/** Parents that were tidied up by this process. */
const tidied = new Set<string>();

/** Removes the directory, and once what others that were killed left beside it. */
export async function removePlace({ directory }: Pick<Place, "directory">): Promise<void> {
  await Deno.remove(directory, { recursive: true });
  const parent = dirname(directory);
  if (tidied.has(parent)) return;
  tidied.add(parent);
  for await (const { path } of orphanedDirs(parent, NAME)) {
    // Another hermes may be tidying up at the same time; what stays is the next one's.
    await Deno.remove(path, { recursive: true }).catch(() => {});
  }
}
