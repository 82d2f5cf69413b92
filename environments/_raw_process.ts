/**
 * One started process, on pipes or on a pseudo-terminal, as the rest of the local environment
 * sees it: bytes out, bytes in, an exit code. Owns no policy: no timeouts, no killing.
 */

export interface RawProcess {
  readonly pid: number;
  readonly exited: Promise<number>;
  /** The next bytes of output; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  write(data: Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
  resize?(columns: number, rows: number): void;
  /** Lets go of both ends, whoever still holds the others. */
  dispose(): Promise<void>;
}

export interface RawProcessOptions {
  /** Absolute path of the program and its arguments. */
  argv: readonly string[];
  /** The whole environment. */
  env: Record<string, string>;
  stdin: "null" | "piped";
  /** `setsid`, where installed: cheaper than `detached`, which forks the whole runtime. */
  setsid?: string | undefined;
}

/** Starts a session of its own, so that terminal signals and prompts never reach it. */
export function startPiped(options: RawProcessOptions): RawProcess {
  const argv = options.setsid ? [options.setsid, ...options.argv] : options.argv;
  const child = new Deno.Command(argv[0]!, {
    args: argv.slice(1),
    clearEnv: true,
    env: options.env,
    cwd: "/",
    stdin: options.stdin,
    stdout: "piped",
    stderr: "null",
    detached: options.setsid === undefined,
  }).spawn();
  const reader = child.stdout.getReader();
  const writer = options.stdin === "piped" ? child.stdin.getWriter() : undefined;
  return {
    pid: child.pid,
    exited: child.status.then((status) => status.code),
    async read() {
      const { value } = await reader.read();
      return value;
    },
    async write(data) {
      await writer?.write(data);
    },
    async closeStdin() {
      await writer?.close();
    },
    async dispose() {
      // Both fail only when the other side is gone already, which is what is wanted.
      await Promise.allSettled([reader.cancel(), writer?.abort()]);
    },
  };
}
