/**
 * Runs a program to its end: both streams in bounded memory, a deadline, and nothing waited for
 * that the program only left behind. For helpers that hermes itself needs (hooks, client programs,
 * probes); a model's commands run through `run_to_end.ts`.
 */
import { type ChildEnvironment, withVariables } from "./child_environment.ts";
import { endWatch, type EndWatchHold } from "./end_watch.ts";
import { signalGroup } from "./group.ts";
import { MARKER_VARIABLE, newMarkerName } from "./marker.ts";
import { OutputCapture } from "./output_capture.ts";
import { killTree } from "./process_tree.ts";
import { spawnChild } from "./spawn.ts";
import { abandonWriter, within } from "./within.ts";

export interface ProgramOptions {
  env: ChildEnvironment;
  /** Default `/`. */
  cwd?: string;
  stdin?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Default: none. */
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Bytes kept of each stream, head and tail. */
  maxBytes?: number;
  /** Takes standard output instead; nothing of it is kept then. */
  onStdout?: (chunk: Uint8Array<ArrayBuffer>) => void;
  /** Lines of either stream as they come. */
  onLine?: (line: string) => void;
  /**
   * Also what the program started must not outlive it, nor hermes: its tree is marked. What left its
   * process group and let it end first is found after an abort or a killed hermes only: looking at
   * every process costs more than a hook. Never for clients of an engine, which leave on purpose
   * what runs the containers.
   */
  owned?: boolean;
}

export interface ProgramEnd {
  /** 124 after the deadline. */
  code: number;
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

const MAX_BYTES = 8 * 1024 * 1024;
const HEAD_SHARE = 0.4;
/** How long the output of a program that has ended may be silent, and go on, before it is given up. */
const IDLE_MS = 200;
const LAST_WORDS_MS = 2_000;
/** Between SIGTERM and SIGKILL of a client. */
const GRACE_MS = 1_000;
/** How long an ended program may take to be reported; one that runs as another user never is. */
const REAP_MS = 1_000;
const MAX_LINE_CHARS = 4_096;

/**
 * Never rejects for what the program does.
 * @throws when it cannot start, and the signal's reason when that aborts.
 */
export async function runProgram(
  argv: readonly string[],
  options: ProgramOptions,
): Promise<ProgramEnd> {
  options.signal?.throwIfAborted();
  await using run = new ProgramRun(argv, options);
  return await run.end();
}

class ProgramRun implements AsyncDisposable {
  readonly #options: ProgramOptions;
  readonly #child: Deno.ChildProcess;
  readonly #hold: EndWatchHold | undefined;
  readonly #marker: string | undefined;
  readonly #streams: Promise<unknown>;
  readonly #readers: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>[] = [];
  readonly #captures: { stdout: OutputCapture; stderr: OutputCapture };
  readonly #input: WritableStreamDefaultWriter<Uint8Array> | undefined;
  #chunks = 0;

  constructor(argv: readonly string[], options: ProgramOptions) {
    const { env, cwd = "/", stdin, maxBytes = MAX_BYTES, owned = false } = options;
    this.#options = options;
    this.#marker = owned ? `${newMarkerName()}.` : undefined;
    const limits = { maxBytes, headShare: HEAD_SHARE };
    this.#captures = { stdout: new OutputCapture(limits), stderr: new OutputCapture(limits) };
    this.#child = spawnChild({
      argv,
      env: this.#marker ? withVariables(env, { [MARKER_VARIABLE]: this.#marker }) : env,
      cwd,
      group: "session",
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    });
    this.#hold = owned ? endWatch.hold() : undefined;
    this.#hold?.add(this.#child.pid);
    this.#streams = Promise.all([this.#read("stdout"), this.#read("stderr")]);
    this.#input = stdin === undefined ? undefined : this.#child.stdin.getWriter();
    if (stdin !== undefined) this.#feed(stdin);
  }

  async end(): Promise<ProgramEnd> {
    const { signal, timeoutMs, owned } = this.#options;
    const stop = Promise.withResolvers<"deadline" | "abort">();
    const onAbort = () => stop.resolve("abort");
    const deadline = timeoutMs && setTimeout(() => stop.resolve("deadline"), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const end = await Promise.race([this.#child.status, stop.promise]);
      if (typeof end === "string") await this.#kill();
      else if (owned) signalGroup(this.#child, "SIGKILL");
      await this.#drain();
      if (end === "abort") signal!.throwIfAborted();
      const { stdout, stderr } = this.#captures;
      const texts = { stdout: stdout.rawText(), stderr: stderr.rawText() };
      if (typeof end !== "string") return { code: end.code, ...texts, timedOut: false };
      return { code: 124, ...texts, timedOut: true };
    } finally {
      if (deadline) clearTimeout(deadline);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Whoever has left the group may hold the other ends open.
    await Promise.allSettled(this.#readers.map((reader) => reader.cancel()));
    await this.#streams;
    if (this.#input) await abandonWriter(this.#input);
    await within(this.#child.status, REAP_MS);
    this.#hold?.remove(this.#child.pid);
    await this.#hold?.release();
  }

  async #kill(): Promise<void> {
    const { pid } = this.#child;
    const tree = { leaders: [pid], ...(this.#marker && { marker: this.#marker }) };
    // A program of which nothing may be left is not asked first.
    if (this.#options.owned) signalGroup(this.#child, "SIGKILL");
    await killTree(tree, { graceMs: this.#options.owned ? 0 : GRACE_MS });
  }

  async #read(name: "stdout" | "stderr"): Promise<void> {
    const { onLine, onStdout } = this.#options;
    const reader = this.#child[name].getReader();
    this.#readers.push(reader);
    const lines = onLine && new LineSplitter(onLine);
    const capture = this.#captures[name];
    for (let part; !(part = await reader.read()).done;) {
      this.#chunks++;
      if (name === "stdout" && onStdout) onStdout(part.value);
      else capture.push(part.value);
      lines?.push(part.value);
    }
    lines?.end();
  }

  /** Waits for what is still on its way after the program has ended. */
  async #drain(): Promise<void> {
    const deadline = performance.now() + LAST_WORDS_MS;
    let isOver = false;
    const over = this.#streams.then(() => isOver = true);
    for (let seen = -1; !isOver && seen !== this.#chunks && performance.now() < deadline;) {
      seen = this.#chunks;
      await within(over, IDLE_MS);
    }
  }

  async #feed(data: string | Uint8Array<ArrayBuffer>): Promise<void> {
    try {
      await this.#input?.write(typeof data === "string" ? new TextEncoder().encode(data) : data);
      await this.#input?.close();
    } catch {
      // The program does not read its input: that is its right.
    }
  }
}

/** Tells the lines of a stream, empty ones left out; a carriage return ends one too. */
class LineSplitter {
  readonly #decoder = new TextDecoder();
  readonly #onLine: (line: string) => void;
  #rest = "";

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split(/[\r\n]/);
    // Of a line that does not end only the last part is kept.
    this.#rest = lines.pop()!.slice(-MAX_LINE_CHARS);
    this.#tell(lines);
  }

  end(): void {
    this.#tell([this.#rest + this.#decoder.decode()]);
  }

  #tell(lines: readonly string[]): void {
    for (const line of lines) if (line.trim() !== "") this.#onLine(line.trim());
  }
}

/** The line worth showing of what a program said when it failed. */
export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)!.trim();
}
