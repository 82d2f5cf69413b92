/**
 * From the bytes of an answer to events: server-sent events or one JSON object, told apart by
 * the first character, since servers lie about the type. What they mean is the format's business.
 */
import type { AssistantPart, StopReason, Usage } from "../protocol/message.ts";
import type { ProviderEvent } from "../protocol/provider.ts";
import { isDeeperThan, MAX_JSON_DEPTH } from "../util/json_depth.ts";
import { reasonOf } from "../util/reason.ts";
import { SseDecoder, type SseEvent } from "../util/sse.ts";

/** Reads one answer. May throw anything on nonsense: that becomes a `malformed` failure. */
export interface AnswerReader {
  /** Deltas of one event. Throws `InlineError` for an error object in the stream. */
  event(event: SseEvent): ProviderEvent[];
  /** Deltas of a whole answer that came as plain JSON although a stream was asked for. */
  whole(body: Record<string, unknown>): ProviderEvent[];
  /** What was read; undefined while the answer is not finished. */
  result(): Answer | undefined;
}

export interface Answer {
  content: AssistantPart[];
  stopReason: StopReason;
  usage: Usage | undefined;
}

/** An error object inside an answer that began well. */
export class InlineError extends Error {
  override name = "InlineError";
  readonly body: string;
  constructor(body: unknown) {
    super("The answer carries an error");
    this.body = JSON.stringify(body);
  }
}

/** The answer stopped being readable, or never was. */
export class MalformedError extends Error {
  override name = "MalformedError";
}

const MAX_JSON_CHARS = 32 * 1024 * 1024;
/** Of all events of an answer: names and numbers around each word take many times its length. */
const MAX_STREAM_CHARS = 256 * 1024 * 1024;
const BRACE = "{".charCodeAt(0);

/** Reads one answer, piece by piece. */
export class AnswerStream {
  #reader: AnswerReader;
  #decoder = new SseDecoder();
  #kind: "events" | "json" | undefined;
  #utf8 = new TextDecoder();
  #json = "";
  #events = 0;
  #chars = 0;
  #maxChars: number;

  constructor(reader: AnswerReader, options: { maxChars?: number } = {}) {
    this.#reader = reader;
    this.#maxChars = options.maxChars ?? MAX_STREAM_CHARS;
  }

  /** @throws {InlineError | MalformedError} */
  *push(chunk: Uint8Array): Generator<ProviderEvent, void, void> {
    this.#kind ??= kindOf(chunk);
    if (this.#kind === "json") this.#collect(chunk);
    if (this.#kind !== "events") return;
    for (const event of guarded(() => this.#decoder.push(chunk))) yield* this.#read(event);
  }

  /** Nothing more comes. @throws {InlineError | MalformedError} */
  *end(): Generator<ProviderEvent, void, void> {
    if (this.#kind === "json") yield* guarded(() => readWhole(this.#json, this.#reader));
    if (this.#kind !== "events") return;
    for (const event of this.#decoder.end()) {
      // Cut inside an event: the missing end is reported, not the nonsense that is left of it.
      if (event.data === "[DONE]" || isJson(event.data)) yield* this.#read(event);
    }
    if (this.#events === 0) throw new MalformedError("it is neither an event stream nor JSON");
  }

  #read(event: SseEvent): ProviderEvent[] {
    this.#events++;
    this.#chars += event.data.length;
    if (this.#chars > this.#maxChars) throw new MalformedError("it is far too long");
    return guarded(() => this.#reader.event(event));
  }

  #collect(chunk: Uint8Array): void {
    this.#json += this.#utf8.decode(chunk, { stream: true });
    if (this.#json.length > MAX_JSON_CHARS) throw new MalformedError("it is far too long");
  }
}

/** Undefined while there is nothing to tell by. */
function kindOf(chunk: Uint8Array): "events" | "json" | undefined {
  const first = chunk.find((byte) => byte > 0x20);
  return first === undefined ? undefined : first === BRACE ? "json" : "events";
}

/** The value of an event or a whole answer. @throws when it is no JSON, or nested too deep to be kept. */
export function parseAnswer(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isDeeperThan(value, MAX_JSON_DEPTH)) throw new RangeError("it is nested too deep");
  return value;
}

function readWhole(text: string, reader: AnswerReader): ProviderEvent[] {
  const body = parseAnswer(text);
  const record = body as Record<string, unknown>;
  if (record["error"]) throw new InlineError(record);
  return reader.whole(record);
}

/** Runs reading code: what it throws on a server's nonsense is that server's fault. */
function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InlineError) throw error;
    throw new MalformedError(reasonOf(error));
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The answer to the question.
    return false;
  }
}
