/**
 * A model behind real HTTP on 127.0.0.1: answers Chat Completions, Responses and Anthropic
 * Messages from a script, misbehaves on demand, and keeps every request for assertions.
 */
import { sleep } from "../../src/util/sleep.ts";
import {
  type ReplyContent,
  toErrorEvent,
  toEvents,
  toJson,
  type WireName,
  wireOfPath,
} from "./fake_model_server_wire.ts";

/** One scripted answer; every fault is off unless named. All fields are plain JSON. */
export interface Reply extends ReplyContent {
  /** An HTTP error instead of an answer. */
  status?: number;
  headers?: Record<string, string>;
  /** The body of that error; a standard one when absent. */
  error?: string | { type?: string; code?: string; message: string };
  /** Waits before the first byte of the body. */
  delayMs?: number;
  /** Sends half of the events and then nothing, with the connection open. */
  stall?: boolean;
  /** Sends half of the events, then ends the body cleanly or resets the connection. */
  cut?: "end" | "reset";
  /** Half of the events, then an error object in the stream. */
  inlineError?: { code: string; message: string };
  /** Sent as the body in place of an answer. */
  garbage?: string;
  /** The whole answer as JSON although a stream was asked for. */
  plainJson?: boolean;
  /** Cuts the body into pieces of this many bytes, also inside characters. */
  chunkBytes?: number;
}

export interface RecordedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  // deno-lint-ignore no-explicit-any -- tests look into bodies of three wire formats
  body: any;
  /** Settles when the client closes the connection before the answer is complete. */
  disconnected: Promise<void>;
}

export interface FakeModelOptions {
  /** Used in order, then a 400 that says so; or computed. */
  replies: readonly Reply[] | ((request: RecordedRequest, index: number) => Reply);
  /** What `GET …/models` lists; without it the path is 404. */
  models?: readonly string[];
  /** 0, the default, takes a free port. */
  port?: number;
  onRequest?: (request: RecordedRequest) => void;
}

export interface FakeModel extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1` */
  readonly url: string;
  readonly port: number;
  /** Model requests so far, oldest first. */
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

/** Starts the server; `await using` or `close()` ends it with every open answer. */
export function startFakeModel(options: FakeModelOptions): FakeModel {
  const requests: RecordedRequest[] = [];
  const closing = new AbortController();
  async function handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    if (request.method === "GET" && path.endsWith("/models") && options.models) {
      return Response.json({ object: "list", data: options.models.map((id) => ({ id })) });
    }
    const wire = wireOfPath(path);
    if (wire === undefined) return new Response("no such path", { status: 404 });
    const { promise, resolve } = Promise.withResolvers<void>();
    const record: RecordedRequest = {
      method: request.method,
      path,
      headers: Object.fromEntries(request.headers),
      body: await request.json(),
      disconnected: promise,
    };
    const index = requests.push(record) - 1;
    options.onRequest?.(record);
    const reply = typeof options.replies === "function"
      ? options.replies(record, index)
      : options.replies[index] ?? exhausted(index);
    return respond(reply, { wire, closing: closing.signal, onDisconnect: resolve });
  }
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: options.port ?? 0, onListen() {} },
    handle,
  );
  async function close(): Promise<void> {
    closing.abort();
    await server.shutdown();
  }
  const { port } = server.addr;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function exhausted(index: number): Reply {
  return { status: 400, error: `the fake model has no reply for request ${index + 1}` };
}

interface Answering {
  wire: WireName;
  closing: AbortSignal;
  onDisconnect: () => void;
}

function respond(reply: Reply, answering: Answering): Response {
  const headers = { ...reply.headers };
  if (reply.status !== undefined && reply.status !== 200) {
    const { error = `scripted status ${reply.status}` } = reply;
    const body = typeof error === "string" ? { message: error } : error;
    const location = reply.status >= 300 && reply.status < 400;
    return location
      ? new Response(null, { status: reply.status, headers })
      : Response.json({ error: body }, { status: reply.status, headers });
  }
  const type = reply.plainJson ? "application/json" : "text/event-stream";
  // A body shorter than promised breaks the connection, as a crashed server does.
  const promised = reply.cut === "reset" ? { "content-length": "1000000" } : {};
  return new Response(bodyStream(reply, answering), {
    headers: { "content-type": type, ...promised, ...headers },
  });
}

function bodyStream(reply: Reply, answering: Answering): ReadableStream<Uint8Array> {
  const { closing, onDisconnect } = answering;
  const gone = new AbortController();
  const over = AbortSignal.any([closing, gone.signal]);
  const chunks = sendChunks(reply, { wire: answering.wire, over });
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      } catch {
        // Only an abort gets here: the server is closing while this answer is open.
        controller.close();
      }
    },
    cancel() {
      gone.abort();
      onDisconnect();
    },
  });
}

async function* sendChunks(
  reply: Reply,
  options: { wire: WireName; over: AbortSignal },
): AsyncGenerator<Uint8Array, void, void> {
  const { over } = options;
  if (reply.delayMs !== undefined) await sleep(reply.delayMs, over);
  const encoder = new TextEncoder();
  for (const text of bodyParts(reply, options.wire)) {
    const bytes = encoder.encode(text);
    const size = reply.chunkBytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      yield bytes.subarray(at, at + size);
      // A turn of the event loop per piece, so that it is sent on its own.
      if (reply.chunkBytes !== undefined) await sleep(0, over);
    }
  }
  if (reply.stall) await new Promise<never>((_, reject) => onAbort(over, reject));
}

function bodyParts(reply: Reply, wire: WireName): string[] {
  if (reply.garbage !== undefined) return [reply.garbage];
  if (reply.plainJson) return [JSON.stringify(toJson(wire, reply))];
  const events = toEvents(wire, reply);
  const half = events.slice(0, Math.ceil(events.length / 2));
  if (reply.inlineError) return [...half, toErrorEvent(wire, reply.inlineError)];
  return reply.cut || reply.stall ? half : events;
}

function onAbort(signal: AbortSignal, then: (reason: unknown) => void): void {
  if (signal.aborted) then(signal.reason);
  else signal.addEventListener("abort", () => then(signal.reason), { once: true });
}
