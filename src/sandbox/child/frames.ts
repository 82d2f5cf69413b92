/**
 * Newline-delimited JSON over a stream, for both ends of the socket: coalesced writes, a size
 * limit on what comes in, and a way to wait until what goes out has left.
 */
import { isDeeperThan, MAX_JSON_DEPTH } from "../../util/json_depth.ts";

/** Bytes of one frame at most. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;

export interface ByteStream {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
}

/** A peer that does not speak the protocol. */
export class FrameError extends Error {
  override name = "FrameError";
}

/** The lines of a stream in batches, as they arrive, until it ends. @throws {FrameError} past the size limit. */
export async function* readFrames(
  stream: ByteStream,
  limits: { firstFrameBytes?: number } = {},
): AsyncGenerator<string[], void, void> {
  let maxBytes = limits.firstFrameBytes ?? MAX_FRAME_BYTES;
  const buffer = new Uint8Array(64 * 1024);
  const decoder = new TextDecoder();
  let partial: string[] = [];
  let partialBytes = 0;
  while (true) {
    const count = await stream.read(buffer);
    if (count === null) return;
    const chunk = decoder.decode(buffer.subarray(0, count), { stream: true });
    const end = chunk.lastIndexOf("\n");
    partialBytes += count;
    if (end < 0) {
      partial.push(chunk);
    } else {
      partial.push(chunk.slice(0, end));
      const lines = partial.join("").split("\n");
      partial = [chunk.slice(end + 1)];
      partialBytes = chunk.length - end - 1;
      maxBytes = MAX_FRAME_BYTES;
      yield lines;
    }
    if (partialBytes > maxBytes) throw new FrameError(`a frame is larger than ${maxBytes} bytes`);
  }
}

/** The object a line holds. @throws {FrameError} when it is none. */
export function parseFrame(line: string): Record<string, unknown> {
  let frame: unknown;
  try {
    frame = JSON.parse(line);
  } catch {
    throw new FrameError("a line is not JSON");
  }
  if (typeof frame !== "object" || frame === null) throw new FrameError("a frame is no object");
  if (isDeeperThan(frame, MAX_JSON_DEPTH)) {
    throw new FrameError(`a frame is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  return frame as Record<string, unknown>;
}

/** Sends frames in order; those queued while a write is under way leave together. */
export class FrameWriter {
  #stream: ByteStream;
  #encoder = new TextEncoder();
  #queued = "";
  #flushing: Promise<void> | undefined;
  #failed = false;

  constructor(stream: ByteStream) {
    this.#stream = stream;
  }

  /** Characters that wait behind the current write. */
  get backlog(): number {
    return this.#queued.length;
  }

  /** Queues one frame; dropped when the peer is gone. */
  send(frame: unknown): void {
    this.sendLine(JSON.stringify(frame));
  }

  /** The same for a frame that is JSON text already. */
  sendLine(text: string): void {
    if (this.#failed) return;
    this.#queued += `${text}\n`;
    this.#flushing ??= this.#flush();
  }

  /** Resolves when everything queued was handed over or the peer is gone. */
  async drained(): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // One turn for callers that send several frames in a row.
    await undefined;
    try {
      while (this.#queued !== "") {
        const bytes = this.#encoder.encode(this.#queued);
        this.#queued = "";
        let sent = 0;
        while (sent < bytes.length) sent += await this.#stream.write(bytes.subarray(sent));
      }
    } catch {
      // The peer closed; the reading side sees the end and says so.
      this.#failed = true;
      this.#queued = "";
    } finally {
      this.#flushing = undefined;
    }
  }
}
