/**
 * Standard input, output and error as commands use them. Writers are synchronous, so an exit
 * loses nothing; a reader that went away (closed pipe) silences the writer instead of failing.
 */
import { HermesError, UsageError } from "../protocol/error.ts";
import { reasonOf } from "../util/reason.ts";
import { terminalText, type TerminalTextOptions } from "../util/terminal_text.ts";

/** The part of `Deno.stdout` a writer needs. */
export interface SyncSink {
  writeSync(bytes: Uint8Array): number;
}

/**
 * A write that a non-blocking pipe takes whole or not at all (PIPE_BUF). Of a longer one the
 * runtime does not tell how much went through before the pipe was full.
 */
const ATOMIC_BYTES = Deno.build.os === "linux" ? 4096 : 512;

/** Writes whole texts to one stream and remembers when its reader is gone. */
export class TextWriter {
  #sink: SyncSink;
  #name: string;
  #closed = false;

  constructor(sink: SyncSink, name: string) {
    this.#sink = sink;
    this.#name = name;
  }

  /** True once the reader went away; later writes are dropped. */
  get closed(): boolean {
    return this.#closed;
  }

  /** @throws {HermesError} when the stream can take no more (a full disk). */
  write(text: string): void {
    if (this.#closed || text === "") return;
    const bytes = new TextEncoder().encode(text);
    let written = 0;
    while (written < bytes.length) {
      try {
        written += this.#sink.writeSync(bytes.subarray(written, written + ATOMIC_BYTES));
      } catch (error) {
        if (error instanceof Deno.errors.WouldBlock) {
          pause(2);
          continue;
        }
        this.#closed = true;
        if (error instanceof Deno.errors.BrokenPipe) return;
        throw new HermesError(`cannot write to ${this.#name}: ${reasonOf(error)}`);
      }
    }
  }
}

const stdoutWriter = new TextWriter(Deno.stdout, "standard output");
const stderrWriter = new TextWriter(Deno.stderr, "standard error");
let colorAllowed = true;

let stdoutIsTerminal: boolean | undefined;

/**
 * Writes text to standard output: as it is to a file or pipe, with nothing but our own colours in
 * it to a terminal (`styled: false`: not even those, for text that others wrote).
 */
export function out(text: string, options: TerminalTextOptions = { styled: true }): void {
  stdoutIsTerminal ??= Deno.stdout.isTerminal();
  stdoutWriter.write(stdoutIsTerminal ? terminalText(text, options) : text);
}

/**
 * Writes a line for people to standard error, always as a terminal may see it. A standard error
 * that cannot be written is ignored.
 */
export function err(text: string): void {
  try {
    stderrWriter.write(terminalText(text, { styled: true }));
  } catch {
    // There is nowhere left to say so.
  }
}

/** True once the reader of standard output went away: further output has no audience. */
export function stdoutClosed(): boolean {
  return stdoutWriter.closed;
}

/** Turns colour off for this process (`--no-color`). */
export function disableColor(): void {
  colorAllowed = false;
}

export interface ColorFacts {
  env(name: string): string | undefined;
  isTerminal: boolean;
  allowed: boolean;
}

/** NO_COLOR (non-empty) beats FORCE_COLOR beats "is it a terminal that knows colours". */
export function decideColor(facts: ColorFacts): boolean {
  if (!facts.allowed || (facts.env("NO_COLOR") ?? "") !== "") return false;
  const forced = facts.env("FORCE_COLOR");
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return facts.isTerminal && facts.env("TERM") !== "dumb";
}

/** Whether to colour what goes to a stream of this process. */
export function useColor(stream: "stdout" | "stderr"): boolean {
  return decideColor({
    env: (name) => Deno.env.get(name),
    isTerminal: Deno[stream].isTerminal(),
    allowed: colorAllowed,
  });
}

/** Largest text read from standard input unless the caller says otherwise. */
const STDIN_LIMIT_BYTES = 10 * 1024 * 1024;

export interface ReadStdinOptions {
  stream?: ReadableStream<Uint8Array<ArrayBuffer>>;
  limitBytes?: number;
  /** The limit in other words, for the error. */
  limit?: string;
}

/**
 * Standard input as text, to its end.
 * @throws {UsageError} when it is too large, binary or not UTF-8.
 */
export async function readStdinText(options: ReadStdinOptions = {}): Promise<string> {
  const limit = options.limitBytes ?? STDIN_LIMIT_BYTES;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of options.stream ?? Deno.stdin.readable) {
    size += chunk.length;
    if (size > limit) {
      throw new UsageError(`standard input is larger than ${options.limit ?? `${limit} bytes`}`, {
        hint: "Save it to a file and name the file in the prompt.",
      });
    }
    chunks.push(chunk);
  }
  return decodeText(new Uint8Array(await new Blob(chunks).arrayBuffer()), "standard input");
}

/**
 * Bytes as text. `source` names them in the error.
 * @throws {UsageError} when they are binary or not UTF-8.
 */
export function decodeText(bytes: Uint8Array, source: string): string {
  const hint = "Hermes reads UTF-8 text here.";
  if (bytes.includes(0)) throw new UsageError(`${source} is binary`, { hint });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`${source} is not valid UTF-8`, { hint, cause });
  }
}

/** Blocks shortly: a non-blocking pipe is full and only its reader can change that. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
