/**
 * One started process, on pipes or on a pseudo-terminal, as whoever reads it sees it: bytes out,
 * bytes in, an exit code. Owns no policy: no timeouts, no killing.
 */
import { shellJoin } from "../util/shell_quote.ts";
import type { ChildEnvironment } from "./child_environment.ts";
import { END_OF_INPUT, type Pty, type TerminalSize } from "./pty.ts";
import { spawnChild, type SpawnOptions } from "./spawn.ts";
import { abandonWriter } from "./within.ts";

export interface RawProcess {
  readonly pid: number;
  readonly exited: Promise<number>;
  /** The next bytes of output, valid until the next call; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  write(data: Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
  resize?(size: TerminalSize): void;
  /** Closes both ends, whoever still holds the others. */
  dispose(): Promise<void>;
}

export interface LaunchOptions {
  /** Absolute path of the program and its arguments. */
  argv: readonly string[];
  env: ChildEnvironment;
  /** A launcher that goes behind walls and becomes the program. */
  launcher?: string | undefined;
}

/** Most commands say little; one that fills the first buffer gets the other. */
const FIRST_CHUNK = 4_096;
const CHUNK = 65_536;

/** Every process leads a session, so that the user's terminal neither signals nor prompts for it. */
function launch(
  { argv, env, launcher }: LaunchOptions,
  streams: Partial<SpawnOptions>,
): Deno.ChildProcess {
  return spawnChild({ argv, env, cwd: "/", group: "session", launcher, ...streams });
}

async function exitCode(child: Deno.ChildProcess): Promise<number> {
  return (await child.status).code;
}

export interface PipedOptions extends LaunchOptions {
  stdin: "null" | "piped";
  /** What it writes to stderr is lost unless a listener is set or it joins the two itself. */
  onStderr?: (chunk: Uint8Array) => void;
}

/** Starts on pipes. */
export function startPiped(options: PipedOptions): RawProcess {
  const { onStderr } = options;
  const stderr = onStderr ? "piped" : "null";
  const child = launch(options, { stdin: options.stdin, stdout: "piped", stderr });
  const messages = onStderr ? listen(child.stderr, onStderr) : undefined;
  const reader = child.stdout.getReader({ mode: "byob" });
  // One buffer for all of the output: it is lent to each read and comes back with the result.
  let buffer = new ArrayBuffer(FIRST_CHUNK);
  let full = false;
  let ended = false;
  let inputEnded = false;
  const writer = options.stdin === "piped" ? child.stdin.getWriter() : undefined;
  return {
    pid: child.pid,
    exited: exitCode(child),
    async read() {
      if (full && buffer.byteLength < CHUNK) buffer = new ArrayBuffer(CHUNK);
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (value) buffer = value.buffer;
      full = value?.byteLength === buffer.byteLength;
      if (!done) return value;
      ended = true;
      // Frees it at once, unless it was lent out when reading was given up.
      if (!buffer.detached) buffer.transfer(0);
      return undefined;
    },
    async write(data) {
      await writer?.write(data);
    },
    async closeStdin() {
      await writer?.close();
      inputEnded = true;
    },
    async dispose() {
      // Both fail only when the other side is gone already, which is what is wanted.
      await Promise.allSettled([
        ended ? undefined : reader.cancel(),
        writer && !inputEnded ? abandonWriter(writer) : undefined,
        messages?.cancel(),
      ]);
    },
  };
}

function listen(
  stream: ReadableStream<Uint8Array>,
  listener: (chunk: Uint8Array) => void,
): ReadableStreamDefaultReader<Uint8Array> {
  const reader = stream.getReader();
  const next = async () => {
    for (let part; !(part = await reader.read()).done;) listener(part.value);
  };
  // A read fails only when the stream is given up, which is what `dispose()` does.
  next().catch(() => {});
  return reader;
}

/** Starts a program that opens `pty.path` itself, which makes it its controlling terminal. */
export function startOnTerminal(options: LaunchOptions & { pty: Pty }): RawProcess {
  const { pty } = options;
  const child = launch(options, {});
  return {
    pid: child.pid,
    exited: exitCode(child),
    read: () => pty.read(),
    write: (data) => pty.write(data),
    closeStdin: () => pty.write(END_OF_INPUT),
    resize: (size) => pty.resize(size),
    dispose: () => pty.close(),
  };
}

/** The same program on a terminal that `script` makes; it cannot be resized later. */
export function throughScript(argv: readonly string[], size: TerminalSize): string[] {
  const { columns, rows } = size;
  const command = `stty rows ${rows} cols ${columns}; exec ${shellJoin(argv)}`;
  return Deno.build.os === "darwin"
    ? ["/usr/bin/script", "-q", "/dev/null", "/bin/sh", "-c", command]
    : ["/usr/bin/script", "-qfec", command, "/dev/null"];
}
