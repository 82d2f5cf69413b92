/**
 * The part of protocol buffers and of gRPC over HTTP/2 that a small server needs: messages by
 * tables of field numbers, unary and server-streaming calls, status trailers, cancellation.
 */
import { type Http2Request, Http2Server } from "./modal_server_http2.ts";

type Scalar = "string" | "bytes" | "int" | "bool" | "double" | "float";
/** Name → number and kind; a kind in brackets is repeated. */
export interface Schema {
  readonly [field: string]: readonly [number, Scalar | Schema | readonly [Scalar | Schema]];
}
export type Message = Record<string, unknown>;

const PREFIX_BYTES = 5;
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const utf8 = new TextEncoder();

export function encodeMessage(schema: Schema, message: Message): Uint8Array {
  const out: number[][] = [];
  for (const [name, [field, kind]] of Object.entries(schema)) {
    const repeated = Array.isArray(kind);
    const values = repeated ? message[name] as unknown[] | undefined ?? [] : [message[name]];
    for (const value of values) {
      if (value !== undefined) out.push(encodeField(field, repeated ? kind[0] : kind, value));
    }
  }
  return Uint8Array.from(out.flat());
}

function encodeField(field: number, kind: Scalar | Schema, value: unknown): number[] {
  const tag = (wire: number) => varint(field << 3 | wire);
  if (kind === "int" || kind === "bool") return [...tag(WIRE.varint), ...varint(Number(value))];
  if (kind === "double") {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value as number, true);
    return [...tag(WIRE.fixed64), ...bytes];
  }
  const bytes = kind === "string"
    ? utf8.encode(value as string)
    : kind === "bytes"
    ? value as Uint8Array
    : encodeMessage(kind as Schema, value as Message);
  return [...tag(WIRE.bytes), ...varint(bytes.length), ...bytes];
}

function varint(value: number): number[] {
  const out: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) out.push(value % 128 | 128);
  return [...out, value];
}

export function decodeMessage(schema: Schema, bytes: Uint8Array): Message {
  const byNumber = new Map(
    Object.entries(schema).map(([name, [field, kind]]) => [field, { name, kind }]),
  );
  const message: Message = {};
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    const [tag, body] = readVarint(bytes, at);
    const { raw, next } = readValue(view, { at: body, wire: tag & 7 });
    at = next;
    const known = byNumber.get(tag >>> 3);
    if (known === undefined) continue;
    const repeated = Array.isArray(known.kind);
    const kind = (repeated ? known.kind[0] : known.kind) as Scalar | Schema;
    const value = convert(kind, raw);
    if (repeated) ((message[known.name] ??= []) as unknown[]).push(value);
    else message[known.name] = value;
  }
  return message;
}

function readValue(
  view: DataView,
  { at, wire }: { at: number; wire: number },
): { raw: number | Uint8Array; next: number } {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  if (wire === WIRE.fixed64) return { raw: view.getFloat64(at, true), next: at + 8 };
  if (wire === WIRE.fixed32) return { raw: view.getFloat32(at, true), next: at + 4 };
  const [value, next] = readVarint(bytes, at);
  if (wire === WIRE.varint) return { raw: value, next };
  return { raw: bytes.subarray(next, next + value), next: next + value };
}

function readVarint(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  for (let scale = 1;; scale *= 128) {
    const byte = bytes[at++]!;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
  }
}

function convert(kind: Scalar | Schema, raw: number | Uint8Array): unknown {
  if (typeof raw === "number") return kind === "bool" ? raw !== 0 : raw;
  if (kind === "string") return new TextDecoder().decode(raw);
  return kind === "bytes" ? raw.slice() : decodeMessage(kind as Schema, raw);
}

/** gRPC status codes in use. */
export const STATUS = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  failedPrecondition: 9,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Ends a call with a status other than OK. */
export class GrpcError extends Error {
  override name = "GrpcError";
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

export interface Call {
  request: Message;
  metadata: Readonly<Record<string, string>>;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
}

export interface Method {
  request: Schema;
  response: Schema;
  /** One message, or a stream of them. */
  run(call: Call): Promise<Message> | AsyncIterable<Message>;
}

const HEADERS = { ":status": "200", "content-type": "application/grpc" };

/** Serves calls to `/service/Method` paths. */
export function startGrpcServer(methods: Readonly<Record<string, Method>>): Http2Server {
  return new Http2Server((request) => void serve(request, methods[request.headers[":path"]!]));
}

async function serve(
  { stream, headers, body }: Http2Request,
  method: Method | undefined,
): Promise<void> {
  const trailers = { "grpc-status": "0", "grpc-message": "" };
  await stream.respond(HEADERS);
  try {
    if (method === undefined) {
      throw new GrpcError(STATUS.unimplemented, `${headers[":path"]} is not implemented`);
    }
    const request = decodeMessage(method.request, body.subarray(PREFIX_BYTES));
    const answer = method.run({ request, metadata: headers, signal: stream.signal });
    const messages = Symbol.asyncIterator in answer ? answer : once(answer);
    for await (const message of messages) {
      await stream.send(prefixed(encodeResponse(method.response, message)));
      if (stream.signal.aborted) break;
    }
  } catch (error) {
    const code = error instanceof GrpcError ? error.code : STATUS.unknown;
    trailers["grpc-status"] = String(code);
    trailers["grpc-message"] = encodeURIComponent((error as Error).message);
  }
  await stream.end(trailers);
}

/** Large byte fields are copied once, not element by element. */
function encodeResponse(schema: Schema, message: Message): Uint8Array {
  const { data } = message;
  if (!(data instanceof Uint8Array)) return encodeMessage(schema, message);
  const head = [schema.data![0] << 3 | WIRE.bytes, ...varint(data.length)];
  const out = new Uint8Array(head.length + data.length);
  out.set(head);
  out.set(data, head.length);
  return out;
}

/** Not compressed, and how long it is. */
function prefixed(payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(PREFIX_BYTES + payload.length);
  new DataView(frame.buffer).setUint32(1, payload.length);
  frame.set(payload, PREFIX_BYTES);
  return frame;
}

async function* once(answer: Promise<Message>): AsyncGenerator<Message> {
  yield await answer;
}
