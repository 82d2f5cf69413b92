/**
 * Output of any size in constant memory, counted in characters: the first and the last ones of a
 * command that ends. Puts characters that arrive in pieces together.
 */

/** The share of the limit that the beginning gets; the end matters more. */
const HEAD_SHARE = 0.4;
/** Smaller pieces of a tail are put together. */
const PIECE_CHARS = 4_096;

export interface CapturedOutput {
  text: string;
  totalBytes: number;
  truncated: boolean;
}

/** Keeps the head and the tail of a stream, `limit` characters together. */
export class HeadTail {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #head = "";
  readonly #tail: Tail;
  #chars = 0;
  #bytes = 0;

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit * HEAD_SHARE);
    this.#tailLimit = limit - this.#headLimit;
    this.#tail = new Tail(this.#tailLimit);
  }

  /** Takes a chunk and returns it as text. */
  push(chunk: Uint8Array): string {
    this.#bytes += chunk.length;
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#add(text);
    return text;
  }

  /** Ends the stream; a marker line stands where characters are missing. */
  finish(): CapturedOutput {
    this.#add(this.#decoder.decode());
    const omitted = this.#chars - this.#headLimit - this.#tailLimit;
    if (omitted <= 0) {
      return { text: this.#head + this.#tail.text(), totalBytes: this.#bytes, truncated: false };
    }
    const head = cleanCut(this.#head);
    const tail = cleanCut(this.#tail.text());
    const marker = `[OUTPUT TRUNCATED - ${omitted} chars omitted out of ${this.#chars} total]`;
    return {
      text: `${head}\n\n... ${marker} ...\n\n${tail}`,
      totalBytes: this.#bytes,
      truncated: true,
    };
  }

  #add(text: string): void {
    this.#chars += text.length;
    const room = this.#headLimit - this.#head.length;
    if (room > 0) {
      this.#head += text.slice(0, room);
      text = text.slice(room);
    }
    this.#tail.push(text);
  }
}

/** The last `limit` characters, in pieces: old ones are dropped whole, nothing is copied. */
class Tail {
  readonly #limit: number;
  readonly #pieces: string[] = [];
  #chars = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(text: string): void {
    if (text === "") return;
    if (text.length > this.#limit) text = text.slice(text.length - this.#limit);
    this.#chars += text.length;
    const last = this.#pieces.length - 1;
    if (last >= 0 && this.#pieces[last]!.length < PIECE_CHARS) this.#pieces[last] += text;
    else this.#pieces.push(text);
    while (this.#pieces.length > 1 && this.#chars - this.#pieces[0]!.length >= this.#limit) {
      this.#chars -= this.#pieces.shift()!.length;
    }
  }

  text(): string {
    const text = this.#pieces.join("");
    return text.length > this.#limit ? text.slice(text.length - this.#limit) : text;
  }
}

/** Removes half of a character that a cut left at either end. */
function cleanCut(text: string): string {
  const from = /^[\uDC00-\uDFFF]/.test(text) ? 1 : 0;
  const to = /[\uD800-\uDBFF]$/.test(text) ? -1 : undefined;
  return text.slice(from, to);
}
