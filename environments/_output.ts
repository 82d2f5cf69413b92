/**
 * Output of any size in constant memory: `HeadTail` keeps the first and last characters of a
 * finished command, `OutputRing` the last ones of a running process. Both take raw bytes and
 * put characters that arrive in pieces together.
 */

/** The share of the limit that the beginning gets; the end matters more. */
const HEAD_SHARE = 0.4;

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
  #tail = "";
  #chars = 0;
  #bytes = 0;

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit * HEAD_SHARE);
    this.#tailLimit = limit - this.#headLimit;
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
      return { text: this.#head + this.#tail, totalBytes: this.#bytes, truncated: false };
    }
    const head = cleanCut(this.#head);
    const tail = cleanCut(this.#tail.slice(-this.#tailLimit));
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
    this.#tail = keepLast(this.#tail + text, this.#tailLimit);
  }
}

/** Keeps the last `limit` characters of a stream that never has to end. */
export class OutputRing {
  readonly #limit: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #text = "";
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a chunk and returns it as text. */
  push(chunk: Uint8Array): string {
    this.#bytes += chunk.length;
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#text = keepLast(this.#text + text, this.#limit);
    return text;
  }

  snapshot(): { text: string; droppedBytes: number; totalBytes: number } {
    const text = cleanCut(this.#text.slice(-this.#limit));
    const kept = new TextEncoder().encode(text).length;
    return { text, droppedBytes: Math.max(0, this.#bytes - kept), totalBytes: this.#bytes };
  }
}

/** Cuts only when a quarter too long, so that many small chunks do not copy the text each time. */
function keepLast(text: string, limit: number): string {
  return text.length > limit * 1.25 + 1024 ? text.slice(text.length - limit) : text;
}

/** Removes half of a character that a cut left at either end. */
function cleanCut(text: string): string {
  const from = /^[\uDC00-\uDFFF]/.test(text) ? 1 : 0;
  const to = /[\uD800-\uDBFF]$/.test(text) ? -1 : undefined;
  return text.slice(from, to);
}
