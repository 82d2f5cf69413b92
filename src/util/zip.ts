/** Reading single files out of a ZIP archive in memory; nothing is ever written or trusted about sizes. */

/** Unpacked bytes at most, of all entries that are read, so that a small archive cannot fill the memory. */
const MAX_UNPACKED_BYTES = 100 << 20;
/** Names in one archive at most. */
const MAX_ENTRIES = 100_000;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  method: number;
  packedBytes: number;
  headerAt: number;
}

export class ZipReader {
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView;
  #entries = new Map<string, Entry>();
  #unpackedBytes = 0;

  /** @throws Error when the bytes are not a ZIP archive. */
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = this.#directoryAt();
    while (at + 46 <= bytes.length && this.#view.getUint32(at, true) === ENTRY_SIGNATURE) {
      if (this.#entries.size >= MAX_ENTRIES) throw new Error("the archive holds too many files");
      const nameBytes = this.#view.getUint16(at + 28, true);
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameBytes));
      this.#entries.set(name, {
        method: this.#view.getUint16(at + 10, true),
        packedBytes: this.#view.getUint32(at + 20, true),
        headerAt: this.#view.getUint32(at + 42, true),
      });
      const extraBytes = this.#view.getUint16(at + 30, true) + this.#view.getUint16(at + 32, true);
      at += 46 + nameBytes + extraBytes;
    }
  }

  /** The text of an entry; undefined when there is none of that name. @throws Error when it is damaged. */
  async text(name: string): Promise<string | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const { headerAt, packedBytes, method } = entry;
    const start = headerAt + 30 + this.#view.getUint16(headerAt + 26, true) +
      this.#view.getUint16(headerAt + 28, true);
    const packed = this.#bytes.subarray(start, start + packedBytes);
    if (method === STORED) {
      this.#count(packed.length, name);
      return new TextDecoder().decode(packed);
    }
    if (method !== DEFLATED) throw new Error(`${name} is packed in an unknown way (${method})`);
    return await this.#inflate(packed, name);
  }

  async #inflate(packed: Uint8Array<ArrayBuffer>, name: string): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    for await (const chunk of stream) {
      this.#count(chunk.length, name);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  }

  #count(bytes: number, name: string): void {
    this.#unpackedBytes += bytes;
    if (this.#unpackedBytes > MAX_UNPACKED_BYTES) {
      throw new Error(`${name} is too large when unpacked`);
    }
  }

  #directoryAt(): number {
    // The end record is followed by a comment of up to 64 KB.
    const first = Math.max(0, this.#bytes.length - 22 - 0xffff);
    for (let at = this.#bytes.length - 22; at >= first; at--) {
      if (this.#view.getUint32(at, true) === END_SIGNATURE) {
        return this.#view.getUint32(at + 16, true);
      }
    }
    throw new Error("not a ZIP archive");
  }
}
