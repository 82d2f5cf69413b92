/**
 * The one place where hermes starts a program. A child gets the variables it is given and no
 * other, no stream that was not asked for, and, unless it works on the person's own terminal, a
 * session and a process group of its own.
 */
import type { ChildEnvironment } from "./child_environment.ts";

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
  /**
   * The program was found already. `setsid` can then start it, which is cheaper than a session by
   * `detached`, for which the system copies the whole runtime, but does not tell a missing program.
   */
  found?: boolean;
  stdin?: Stream;
  stdout?: Stream;
  stderr?: Stream;
}

/** @throws when the program cannot be started. */
export function spawnChild(options: SpawnOptions): Deno.ChildProcess {
  const { env, cwd, group, stdin = "null", stdout = "null", stderr = "null" } = options;
  const setsid = group === "session" && options.found ? setsidProgram() : undefined;
  const [program, ...args] = setsid === undefined ? options.argv : [setsid, ...options.argv];
  return new Deno.Command(program!, {
    args,
    clearEnv: true,
    env,
    cwd,
    stdin,
    stdout,
    stderr,
    detached: group === "session" && setsid === undefined,
  }).spawn();
}

/** Undefined once looked for in vain. */
let setsid: { path: string | undefined } | undefined;

/** `setsid`, where installed. It becomes the program, so the process id stays the same. */
function setsidProgram(): string | undefined {
  setsid ??= { path: ["/usr/bin/setsid", "/bin/setsid"].find(isFile) };
  return setsid.path;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false; // Not installed.
  }
}
