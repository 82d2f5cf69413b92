/**
 * The last bytes of a stream that need not end, in constant memory. Cuts no character in half
 * when it is read as text.
 */

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
    if (this.#limit === 0) return;
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
    let bytes = this.bytes();
    const droppedBytes = this.#total - this.#kept;
    // The cut may have left the rest of a character in front.
    while (droppedBytes > 0 && (bytes[0]! & 0xc0) === 0x80) bytes = bytes.subarray(1);
    // As part of a stream, a character that is not complete yet is left out at the end.
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true });
    return { text, droppedBytes, totalBytes: this.#total };
  }

  /** A copy of the kept bytes, oldest first. */
  bytes(): Uint8Array<ArrayBuffer> {
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
