/**
 * Output of any size in constant memory, counted in bytes: the first and the last ones of a
 * stream, and how much was left out between them.
 */
import { OutputRing } from "./output_ring.ts";

// deno-lint-ignore no-control-regex -- escape sequences are made of control characters
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;

export interface CaptureLimits {
  maxBytes: number;
  /** Part of `maxBytes` kept from the beginning; the rest is kept from the end. */
  headShare: number;
}

export class OutputCapture {
  readonly #headLimit: number;
  readonly #head: Uint8Array[] = [];
  readonly #tail: OutputRing;
  #headBytes = 0;
  #totalBytes = 0;

  constructor(limits: CaptureLimits) {
    this.#headLimit = Math.floor(limits.maxBytes * limits.headShare);
    this.#tail = new OutputRing(limits.maxBytes - this.#headLimit);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Takes a chunk, which stays the caller's. */
  push(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const first = chunk.subarray(0, this.#headLimit - this.#headBytes);
    if (first.length > 0) this.#head.push(first.slice());
    this.#headBytes += first.length;
    if (first.length < chunk.length) this.#tail.push(chunk.subarray(first.length));
  }

  /** The kept text as it came; a line between head and tail says what is missing. */
  rawText(): string {
    const tail = this.#tail.bytes();
    const omitted = this.#totalBytes - this.#headBytes - tail.length;
    const decoder = new TextDecoder();
    if (omitted === 0) return decoder.decode(join([...this.#head, tail]));
    const notice = `[… ${omitted} bytes of output left out; print less or write it to a file …]`;
    return `${decoder.decode(join(this.#head))}\n${notice}\n${decoder.decode(tail)}`;
  }

  /** The same without terminal escapes. */
  text(): string {
    return this.rawText().replace(ANSI, "");
  }
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
