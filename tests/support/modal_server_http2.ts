/**
 * HTTP/2 over cleartext TCP for a server of tests, frame by frame: what `node:http2` of Deno
 * cannot be used for, because its server aborts the process when clients go. Accepts input
 * without end, keeps to the windows of the other side when it sends.
 */
import { encodeHeaders, HeaderDecoder } from "./modal_server_hpack.ts";

const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;
const SETTING_INITIAL_WINDOW = 4;
const PREFACE_BYTES = 24;
const HEAD_BYTES = 9;
const MAX_PAYLOAD = 16_384;
const LARGEST_WINDOW = 2 ** 31 - 1;
const FIRST_WINDOW = 65_535;

export interface Http2Request {
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  stream: Http2Stream;
}

type Handler = (request: Http2Request) => void;

export class Http2Server {
  readonly port: number;
  readonly #listener: Deno.TcpListener;
  readonly #connections = new Set<Connection>();
  readonly #accepting: Promise<void>;

  constructor(handler: Handler) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = this.#listener.addr.port;
    this.#accepting = this.#accept(handler);
  }

  /** Cuts every connection without a word, as a broken network does; new ones are accepted. */
  dropConnections(): void {
    for (const connection of this.#connections) connection.drop();
  }

  /** Tells every client to open no more streams, as a server does that is about to stop. */
  sendGoAway(lastStream?: number): void {
    for (const connection of this.#connections) connection.goAway(lastStream);
  }

  /** Resolves when no client is connected. */
  async whenQuiet(): Promise<void> {
    while (this.#connections.size > 0) {
      await Promise.all([...this.#connections].map((connection) => connection.ended));
    }
  }

  async close(): Promise<void> {
    this.#listener.close();
    await this.#accepting;
    this.dropConnections();
    await this.whenQuiet();
  }

  async #accept(handler: Handler): Promise<void> {
    for await (const socket of this.#listener) {
      const connection = new Connection(socket, handler);
      this.#connections.add(connection);
      connection.ended.then(() => this.#connections.delete(connection));
    }
  }
}

/** One exchange: a request that has come whole, and the answer to it. */
export class Http2Stream {
  readonly id: number;
  /** Aborted when the client has reset it or is gone. */
  readonly signal: AbortSignal;
  readonly #connection: Connection;
  readonly #gone = new AbortController();
  /** Bytes that may be sent. */
  window: number;

  constructor(connection: Connection, options: { id: number; window: number }) {
    this.id = options.id;
    this.window = options.window;
    this.signal = this.#gone.signal;
    this.#connection = connection;
  }

  abort(): void {
    this.#gone.abort();
  }

  async respond(headers: Readonly<Record<string, string>>): Promise<void> {
    await this.#headers(headers, FLAG.endHeaders);
  }

  async send(data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length && !this.signal.aborted;) {
      const size = await this.#connection.reserve(this, Math.min(data.length - at, MAX_PAYLOAD));
      const payload = data.subarray(at, at += size);
      await this.#connection.write({ type: FRAME.data, flags: 0, id: this.id, payload });
    }
  }

  /** The last words: trailers, or all there is to say. */
  async end(headers: Readonly<Record<string, string>>): Promise<void> {
    await this.#headers(headers, FLAG.endHeaders | FLAG.endStream);
    this.#connection.forget(this);
  }

  async #headers(headers: Readonly<Record<string, string>>, flags: number): Promise<void> {
    const payload = encodeHeaders(headers);
    if (!this.signal.aborted) {
      await this.#connection.write({ type: FRAME.headers, flags, id: this.id, payload });
    }
  }
}

interface Frame {
  type: number;
  flags: number;
  id: number;
  payload: Uint8Array;
}

interface Incoming {
  stream: Http2Stream;
  block: Uint8Array[];
  headers: Record<string, string>;
  body: Uint8Array[];
}

class Connection {
  readonly ended: Promise<void>;
  readonly #socket: Deno.TcpConn;
  readonly #handler: Handler;
  readonly #decoder = new HeaderDecoder();
  readonly #streams = new Map<number, Incoming>();
  #writing: Promise<unknown> = Promise.resolve();
  #window = FIRST_WINDOW;
  #streamWindow = FIRST_WINDOW;
  #widened = Promise.withResolvers<void>();
  #dropped = false;

  constructor(socket: Deno.TcpConn, handler: Handler) {
    this.#socket = socket;
    this.#handler = handler;
    socket.setNoDelay(true);
    this.ended = this.#serve();
  }

  drop(): void {
    if (this.#dropped) return;
    this.#dropped = true;
    this.#socket.close();
  }

  /** `lastStream`: the last one that is still answered. */
  goAway(lastStream = LARGEST_WINDOW): void {
    const payload = numbers(lastStream, 0);
    void this.write({ type: FRAME.goAway, flags: 0, id: 0, payload });
  }

  forget({ id }: Http2Stream): void {
    this.#streams.delete(id);
  }

  /** How much of `wanted` may be sent on the stream now; waits until it is something. */
  async reserve(stream: Http2Stream, wanted: number): Promise<number> {
    while (Math.min(stream.window, this.#window) <= 0 && !stream.signal.aborted) {
      await this.#widened.promise;
    }
    const size = Math.max(0, Math.min(wanted, stream.window, this.#window));
    stream.window -= size;
    this.#window -= size;
    return size;
  }

  /** One frame after the other; a connection that is gone takes them in silence. */
  write({ type, flags, id, payload }: Frame): Promise<void> {
    const frame = new Uint8Array(HEAD_BYTES + payload.length);
    const view = new DataView(frame.buffer);
    view.setUint32(0, payload.length << 8 | type);
    view.setUint8(4, flags);
    view.setUint32(5, id);
    frame.set(payload, HEAD_BYTES);
    const written = this.#writing.then(() => this.#writeAll(frame));
    this.#writing = written;
    return written;
  }

  async #writeAll(frame: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < frame.length;) at += await this.#socket.write(frame.subarray(at));
    } catch {
      // The reading side notices as well and ends all streams.
    }
  }

  async #serve(): Promise<void> {
    const settings = new Uint8Array([0, SETTING_INITIAL_WINDOW, ...numbers(LARGEST_WINDOW)]);
    void this.write({ type: FRAME.settings, flags: 0, id: 0, payload: settings });
    const more = numbers(LARGEST_WINDOW - FIRST_WINDOW);
    void this.write({ type: FRAME.windowUpdate, flags: 0, id: 0, payload: more });
    const reader = new ByteReader(this.#socket);
    try {
      await reader.take(PREFACE_BYTES);
      while (true) this.#receive(await readFrame(reader));
    } catch {
      // The other side has closed, or we have.
    }
    for (const { stream } of this.#streams.values()) stream.abort();
    this.#widen();
    this.drop();
    await this.#writing;
  }

  #receive(frame: Frame): void {
    const { type, flags, id, payload } = frame;
    const incoming = this.#streams.get(id);
    if (type === FRAME.headers || type === FRAME.continuation) return this.#headers(frame);
    if (type === FRAME.data && incoming) {
      incoming.body.push(unpadded(frame));
      if (flags & FLAG.endStream) this.#complete(incoming);
    } else if (type === FRAME.settings && !(flags & FLAG.ack)) {
      this.#settings(payload);
      void this.write({ type, flags: FLAG.ack, id: 0, payload: new Uint8Array() });
    } else if (type === FRAME.ping && !(flags & FLAG.ack)) {
      void this.write({ type, flags: FLAG.ack, id: 0, payload });
    } else if (type === FRAME.windowUpdate) {
      const size = uint32(payload, 0) & LARGEST_WINDOW;
      if (id === 0) this.#window += size;
      else if (incoming) incoming.stream.window += size;
      this.#widen();
    } else if (type === FRAME.reset && incoming) {
      this.#streams.delete(id);
      incoming.stream.abort();
      this.#widen();
    }
  }

  #headers(frame: Frame): void {
    const { type, flags, id } = frame;
    let incoming = this.#streams.get(id);
    if (!incoming) {
      const stream = new Http2Stream(this, { id, window: this.#streamWindow });
      incoming = { stream, block: [], headers: {}, body: [] };
      this.#streams.set(id, incoming);
    }
    const priority = type === FRAME.headers && flags & FLAG.priority ? 5 : 0;
    incoming.block.push(unpadded(frame).subarray(priority));
    if (flags & FLAG.endHeaders) incoming.headers = this.#decoder.decode(concat(incoming.block));
    if (type === FRAME.headers && flags & FLAG.endStream) this.#complete(incoming);
  }

  #complete({ stream, headers, body }: Incoming): void {
    this.#handler({ stream, headers, body: concat(body) });
  }

  #settings(payload: Uint8Array): void {
    for (let at = 0; at < payload.length; at += 6) {
      if (payload[at + 1] !== SETTING_INITIAL_WINDOW) continue;
      const size = uint32(payload, at + 2);
      for (const { stream } of this.#streams.values()) stream.window += size - this.#streamWindow;
      this.#streamWindow = size;
    }
    this.#widen();
  }

  #widen(): void {
    this.#widened.resolve();
    this.#widened = Promise.withResolvers();
  }
}

async function readFrame(reader: ByteReader): Promise<Frame> {
  const head = await reader.take(HEAD_BYTES);
  const length = uint32(head, 0) >>> 8;
  const payload = await reader.take(length);
  return { type: head[3]!, flags: head[4]!, id: uint32(head, 5) & LARGEST_WINDOW, payload };
}

function unpadded({ type, flags, payload }: Frame): Uint8Array {
  if (type === FRAME.continuation || !(flags & FLAG.padded)) return payload;
  return payload.subarray(1, payload.length - payload[0]!);
}

/** Reads exact numbers of bytes from a socket. */
class ByteReader {
  readonly #socket: Deno.TcpConn;
  readonly #buffer = new Uint8Array(65_536);
  #rest = new Uint8Array();

  constructor(socket: Deno.TcpConn) {
    this.#socket = socket;
  }

  /** @throws at the end of the input. */
  async take(count: number): Promise<Uint8Array> {
    const out = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      if (this.#rest.length === 0) {
        const size = await this.#socket.read(this.#buffer);
        if (size === null) throw new Error("The connection has ended");
        this.#rest = this.#buffer.subarray(0, size);
      }
      const part = this.#rest.subarray(0, count - filled);
      out.set(part, filled);
      filled += part.length;
      this.#rest = this.#rest.subarray(part.length);
    }
    return out;
  }
}

function uint32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}

function numbers(...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  values.forEach((value, i) => new DataView(bytes.buffer).setUint32(i * 4, value));
  return bytes;
}

export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
