/**
 * Output of any size in constant memory: `HeadTail` keeps the first and last characters of a
 * finished command, `OutputRing` the last bytes of a running process. Both put characters that
 * arrive in pieces together.
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

const FIRST_RING_BYTES = 4_096;

/** Keeps the last `limit` bytes of a stream that never has to end; makes no garbage. */
export class OutputRing {
  readonly #limit: number;
  /** Grows in place up to the limit, and only then begins again at its start. */
  readonly #store: ArrayBuffer;
  /** Where the next byte goes; the oldest one is there too once the ring is full. */
  #next = 0;
  #kept = 0;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#store = new ArrayBuffer(Math.min(limit, FIRST_RING_BYTES), { maxByteLength: limit });
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const data = chunk.subarray(Math.max(0, chunk.length - this.#limit));
    this.#reserve(this.#kept + data.length);
    const ring = new Uint8Array(this.#store);
    const room = ring.length - this.#next;
    ring.set(data.subarray(0, room), this.#next);
    if (data.length > room) ring.set(data.subarray(room), 0);
    this.#next = (this.#next + data.length) % this.#limit;
    this.#kept = Math.min(this.#limit, this.#kept + data.length);
  }

  snapshot(): { text: string; droppedBytes: number; totalBytes: number } {
    let bytes = this.#bytes();
    const droppedBytes = this.#total - this.#kept;
    // The cut may have left the rest of a character in front.
    while (droppedBytes > 0 && (bytes[0]! & 0xc0) === 0x80) bytes = bytes.subarray(1);
    // As part of a stream, a character that is not complete yet is left out at the end.
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
    return { text, droppedBytes, totalBytes: this.#total };
  }

  /** The kept bytes, oldest first. */
  #bytes(): Uint8Array {
    const ring = new Uint8Array(this.#store);
    if (this.#kept < this.#limit) return ring.slice(0, this.#kept);
    const bytes = new Uint8Array(this.#limit);
    bytes.set(ring.subarray(this.#next));
    bytes.set(ring.subarray(0, this.#next), this.#limit - this.#next);
    return bytes;
  }

  #reserve(bytes: number): void {
    const size = this.#store.byteLength;
    if (bytes > size) this.#store.resize(Math.min(this.#limit, Math.max(bytes, size * 2)));
  }
}

/** The last `limit` characters, in pieces: old ones are let go whole, nothing is copied. */
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
