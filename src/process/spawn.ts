/**
 * The one place where hermes starts a program. A child gets the variables it is given and no
 * other, no stream that was not asked for, and, unless it works on the person's own terminal, a
 * session and a process group of its own.
 */
import { resolvePath } from "../util/path.ts";
import type { ChildEnvironment } from "./child_environment.ts";
import { followChild } from "./children.ts";
import { dropSessionLauncher, sessionLauncher } from "./launcher/launcher.ts";

/**
 * Where a child stands: it leads a `session` of its own, which neither the person's terminal nor
 * Ctrl-C reaches; it is a launcher that makes one `itself`; or it shares the person's `terminal`.
 */
export type ChildGroup = "session" | "itself" | "terminal";

type Stream = "null" | "piped" | "inherit";

export interface SpawnOptions {
  /** The program and its arguments. */
  argv: readonly string[];
  /** The whole environment. */
  env: ChildEnvironment;
  cwd: string;
  group: ChildGroup;
  /** A launcher that makes the session and more, and becomes the program; for `session` alone. */
  launcher?: string | undefined;
  stdin?: Stream;
  stdout?: Stream;
  stderr?: Stream;
}

/** @throws when the program cannot be started. */
export function spawnChild(options: SpawnOptions): Deno.ChildProcess {
  const { group } = options;
  const child = group === "session" ? spawnSession(options) : spawn(options.argv, options);
  // What shares the person's terminal is theirs.
  if (group !== "terminal") followChild(child);
  return child;
}

/**
 * Starts a launcher that makes the session and becomes the program, so the process id stays the
 * same. For `detached` the system copies the whole runtime and blocks it meanwhile (30 ms at
 * 150 MB).
 */
function spawnSession(options: SpawnOptions): Deno.ChildProcess {
  const [name, ...rest] = options.argv as [string, ...string[]];
  // A launcher could only say on standard error that there is no such program.
  const argv = [programPath(name, { path: options.env.PATH, cwd: options.cwd }), ...rest];
  if (options.launcher !== undefined) return spawn([options.launcher, ...argv], options);
  const launcher = sessionLauncher();
  if (launcher !== undefined) {
    try {
      return spawn([launcher, ...argv], options);
    } catch (error) {
      if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
      dropSessionLauncher();
    }
  }
  const setsid = setsidProgram();
  return setsid === undefined
    ? spawn(argv, options, { detached: true })
    : spawn([setsid, ...argv], options);
}

function spawn(
  [program, ...args]: readonly string[],
  { env, cwd, stdin = "null", stdout = "null", stderr = "null" }: SpawnOptions,
  { detached = false } = {},
): Deno.ChildProcess {
  const streams = { stdin, stdout, stderr };
  return new Deno.Command(program!, { args, clearEnv: true, env, cwd, ...streams, detached })
    .spawn();
}

/** Undefined until it was looked for. */
let found: { setsid: string | undefined } | undefined;

/** `setsid`, where installed. */
function setsidProgram(): string | undefined {
  found ??= { setsid: ["/usr/bin/setsid", "/bin/setsid"].find(isProgram) };
  return found.setsid;
}

/** Absolute path of a program that `name` means in `cwd` and on the search path `path`. */
function programPath(name: string, { path = "", cwd }: { path?: string | undefined; cwd: string }) {
  // A relative place on the search path would be whatever the working directory holds.
  const places = name.includes("/")
    ? [resolvePath(cwd, name)]
    : path.split(":").filter((dir) => dir.startsWith("/")).map((dir) => `${dir}/${name}`);
  const program = places.find(isProgram);
  if (program === undefined) throw new Deno.errors.NotFound(`Cannot start ${name}: not found`);
  return program;
}

function isProgram(path: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(path);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch {
    return false; // Not there, or not to be seen.
  }
}
