/**
 * Bytes between two connections: a reader that looks ahead, whole writes, and the loops that move
 * bytes with one buffer per direction. A write is awaited before the next read, so a slow receiver
 * holds its sender back.
 */
import { BadRequest, type BodyFraming, latin1 } from "./http_head.ts";

export interface ByteSource {
  read(buffer: Uint8Array): Promise<number | null>;
}

export interface ByteSink {
  write(bytes: Uint8Array): Promise<number>;
}

/** Called for each piece that was moved: the connection is not idle. */
export type OnProgress = () => void;

const FIRST_BUFFER = 16 * 1024;
/** A tunnel whose reads fill the buffer gets this one: fewer turns of the event loop per byte. */
const LARGE_BUFFER = 256 * 1024;
const MAX_CHUNK_LINE = 1024;
const MAX_TRAILERS = 16 * 1024;

export async function writeAll(sink: ByteSink, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await sink.write(bytes.subarray(written));
}

/** Reads a connection and keeps what came too early. */
export class ByteReader {
  readonly #source: ByteSource;
  #held: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** What was read and not yet taken. */
  get held(): Uint8Array {
    return this.#held;
  }

  /** Takes the next `count` bytes of what is held. */
  take(count: number): Uint8Array {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** Reads once more; false at the end. */
  async more(): Promise<boolean> {
    if (this.#ended) return false;
    const buffer = new Uint8Array(FIRST_BUFFER);
    const count = await this.#source.read(buffer);
    if (count === null) {
      this.#ended = true;
      return false;
    }
    const joined = new Uint8Array(this.#held.length + count);
    joined.set(this.#held);
    joined.set(buffer.subarray(0, count), this.#held.length);
    this.#held = joined;
    return true;
  }

  /**
   * The bytes before `end` (which is taken as well). `undefined` when the connection ended before;
   * throws `BadRequest` beyond `limit` bytes.
   */
  async until(end: string, limit: number): Promise<Uint8Array | undefined> {
    const mark = latin1(end);
    let from = 0;
    while (true) {
      const at = indexOfBytes(this.#held, { mark, from });
      if (at > limit || (at < 0 && this.#held.length > limit)) {
        throw new BadRequest("the head is too large", 431);
      }
      if (at >= 0) {
        const found = this.take(at);
        this.take(mark.length);
        return found;
      }
      from = Math.max(0, this.#held.length - mark.length + 1);
      if (!await this.more()) return undefined;
    }
  }

  /** Like the connection's own `read`, after what is held. */
  async read(buffer: Uint8Array): Promise<number | null> {
    if (this.#held.length === 0) return this.#ended ? null : await this.#source.read(buffer);
    const part = this.take(buffer.length);
    buffer.set(part);
    return part.length;
  }
}

function indexOfBytes(
  bytes: Uint8Array,
  { mark, from }: { mark: Uint8Array; from: number },
): number {
  for (let at = bytes.indexOf(mark[0]!, from); at >= 0; at = bytes.indexOf(mark[0]!, at + 1)) {
    if (at + mark.length > bytes.length) return -1;
    if (mark.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}

/** Moves bytes until the source ends, or `count` of them; says how many. */
export async function moveBytes(
  source: ByteSource,
  options: { sink: ByteSink; count?: number; onProgress: OnProgress },
): Promise<number> {
  const count = options.count ?? Infinity;
  let buffer = new Uint8Array(FIRST_BUFFER);
  let moved = 0;
  while (moved < count) {
    const room = Math.min(buffer.length, count - moved);
    const got = await source.read(room < buffer.length ? buffer.subarray(0, room) : buffer);
    if (got === null) break;
    options.onProgress();
    await writeAll(options.sink, buffer.subarray(0, got));
    options.onProgress();
    moved += got;
    if (got === buffer.length && got < LARGE_BUFFER) buffer = new Uint8Array(LARGE_BUFFER);
  }
  return moved;
}

/** Reads and drops at most `count` bytes, until the source ends. */
export async function skipBytes(source: ByteSource, count: number): Promise<void> {
  const buffer = new Uint8Array(FIRST_BUFFER);
  for (let left = count; left > 0;) {
    const got = await source.read(buffer);
    if (got === null) return;
    left -= got;
  }
}

/**
 * Passes on the body of a request. Chunks are written anew, without extensions and trailers, so
 * that the server cannot read their borders differently. False when the client left before the end.
 */
export async function moveBody(
  reader: ByteReader,
  options: { sink: ByteSink; body: BodyFraming; onProgress: OnProgress },
): Promise<boolean> {
  const { sink, body, onProgress } = options;
  if (body !== "chunked") {
    return await moveBytes(reader, { sink, count: body, onProgress }) === body;
  }
  while (true) {
    const size = await chunkSize(reader);
    if (size === undefined) return false;
    if (size === 0) break;
    await writeAll(sink, latin1(`${size.toString(16)}\r\n`));
    if (await moveBytes(reader, { sink, count: size, onProgress }) !== size) return false;
    const end = await reader.until("\r\n", 0);
    if (end === undefined) return false;
    await writeAll(sink, latin1("\r\n"));
  }
  if (!await skipTrailers(reader)) return false;
  await writeAll(sink, latin1("0\r\n\r\n"));
  return true;
}

async function chunkSize(reader: ByteReader): Promise<number | undefined> {
  const line = await reader.until("\r\n", MAX_CHUNK_LINE);
  if (line === undefined) return undefined;
  const text = String.fromCharCode(...line);
  // An extension is printable text behind a semicolon; a bare line end in it hides a border.
  const size = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t -~]*)?$/.exec(text)?.[1];
  if (size === undefined) throw new BadRequest("a chunk of the body is malformed");
  return parseInt(size, 16);
}

async function skipTrailers(reader: ByteReader): Promise<boolean> {
  for (let left = MAX_TRAILERS; left > 0;) {
    const line = await reader.until("\r\n", left);
    if (line === undefined) return false;
    if (line.length === 0) return true;
    left -= line.length + 2;
  }
  throw new BadRequest("the trailers are too large", 431);
}
