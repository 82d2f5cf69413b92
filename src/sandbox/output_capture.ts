/**
 * What a child printed, in bounded memory: the first and the last bytes of a stream of any
 * length, and how much was left out between them.
 */

// deno-lint-ignore no-control-regex -- escape sequences are made of control characters
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;

export interface CaptureLimits {
  maxBytes: number;
  /** Part of `maxBytes` kept from the beginning; the rest is kept from the end. */
  headShare: number;
}

export class OutputCapture {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #totalBytes = 0;

  constructor(limits: CaptureLimits) {
    this.#headLimit = Math.floor(limits.maxBytes * limits.headShare);
    this.#tailLimit = limits.maxBytes - this.#headLimit;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  push(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    const room = this.#headLimit - this.#headBytes;
    const first = chunk.subarray(0, room);
    if (first.length > 0) this.#head.push(first.slice());
    this.#headBytes += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0 || this.#tailLimit === 0) return;
    this.#tail.push(rest.slice());
    this.#tailBytes += rest.length;
    while (this.#tailBytes - this.#tail[0]!.length >= this.#tailLimit) {
      this.#tailBytes -= this.#tail.shift()!.length;
    }
  }

  /** The kept text without terminal escapes; a line between head and tail says what is missing. */
  text(): string {
    const kept = join(this.#tail);
    const tail = kept.subarray(Math.max(0, kept.length - this.#tailLimit));
    const omitted = this.#totalBytes - this.#headBytes - tail.length;
    const decoder = new TextDecoder();
    if (omitted === 0) return clean(decoder.decode(join([...this.#head, tail])));
    const notice = `[… ${omitted} bytes of output left out; print less or write it to a file …]`;
    return clean(`${decoder.decode(join(this.#head))}\n${notice}\n${decoder.decode(tail)}`);
  }
}

function clean(text: string): string {
  return text.replace(ANSI, "");
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
