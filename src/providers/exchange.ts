/**
 * One request to a model and its answer, whatever the wire format: sends, watches the clock,
 * reads the answer as it comes, and ends in exactly one `end` or `failure`.
 * Formats only write the request and read the events.
 */
import type { AssistantMessage, Message } from "../protocol/message.ts";
import type {
  ModelInfo,
  ModelRequest,
  Provider,
  ProviderEvent,
  ProviderFailure,
  WireFetch,
} from "../protocol/provider.ts";
import {
  type Answer,
  type AnswerReader,
  AnswerStream,
  InlineError,
  MalformedError,
} from "./answer_stream.ts";
import { createBodyWriter } from "./body_text.ts";
import { withCost } from "./cost.ts";
import { type StreamTimeouts, Watchdog } from "./watchdog.ts";

/** Everything a provider of any wire format is made from. */
export interface ProviderOptions {
  name: string;
  model: ModelInfo;
  baseUrl: string;
  apiKey?: string;
  /** Name of the variable or setting the key comes from, for error lines. */
  keyName?: string;
  wireFetch: WireFetch;
  /** Removes secrets of the person from what a server said; used for failures only. */
  clean?: (text: string) => Promise<string>;
  timeouts?: StreamTimeouts;
  /** How this provider departs from its wire format. */
  quirks?: Quirks;
}

export interface Quirks {
  /** Chat: whether reasoning is sent back; `require` means its absence is an error there. */
  reasoningEcho?: "echo" | "require";
  /** Chat: how an effort is asked for; absent means it cannot be. */
  effort?: "reasoning_effort" | "reasoning";
  /** Chat: OpenAI's own models refuse `max_tokens`. */
  maxCompletionTokens?: boolean;
  /** Chat: `response_format: json_schema` is understood. */
  jsonSchema?: boolean;
  /** Chat: Claude behind an aggregator wants explicit cache markers. */
  cacheMarkers?: boolean;
  /** Headers that the host wants with every request. */
  headers?: Record<string, string>;
}

/** One request, written for the wire. */
export interface WireCall {
  url: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

export interface WireFormat {
  encode(request: ModelRequest): WireCall;
  reader(request: ModelRequest): AnswerReader;
}

/** The answer ended before the model had finished. */
class CutError extends Error {
  override name = "CutError";
}

class HttpError extends Error {
  override name = "HttpError";
  constructor(readonly response: Response, readonly body: string) {
    super(`HTTP ${response.status}`);
  }
}

const MAX_ERROR_BYTES = 64 * 1024;

/** A provider that speaks `format`. */
export function createWireProvider(format: WireFormat, options: ProviderOptions): Provider {
  const write = createBodyWriter();
  return {
    name: options.name,
    model: options.model,
    stream: (request, signal) => runExchange(format, { request, signal, options, write }),
  };
}

async function rejectsReasoning(failure: ProviderFailure, request: ModelRequest): Promise<boolean> {
  if (failure.kind !== "invalid_request") return false;
  if (!request.messages.some((message) => withoutReasoning(message) !== message)) return false;
  return (await import("./classify_error.ts")).isStaleReasoning(failure);
}

function withoutReasoning(message: Message): Message {
  if (message.role !== "assistant") return message;
  const content = message.content.filter((part) => part.type !== "reasoning");
  return content.length === message.content.length ? message : { ...message, content };
}

interface Exchange {
  request: ModelRequest;
  signal: AbortSignal;
  options: ProviderOptions;
  /** JSON of a body. */
  write(body: Record<string, unknown>): string;
}

async function* runExchange(
  format: WireFormat,
  exchange: Exchange,
): AsyncGenerator<ProviderEvent, void, void> {
  const { options, signal, request } = exchange;
  const watchdog = new Watchdog(signal, options.timeouts);
  let shown = false;
  let bare: ModelRequest | undefined;
  try {
    signal.throwIfAborted();
    const call = format.encode(request);
    const response = await options.wireFetch(call.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...call.headers, ...options.quirks?.headers },
      body: exchange.write(call.body),
      signal: watchdog.signal,
    });
    const bytes = readBytes(response, watchdog);
    if (!response.ok) throw new HttpError(response, await readText(bytes, MAX_ERROR_BYTES));
    const reader = format.reader(request);
    const answers = new AnswerStream(reader);
    for await (const chunk of bytes) {
      for (const event of answers.push(chunk)) {
        shown = true;
        yield event;
      }
    }
    yield* answers.end();
    const answer = reader.result();
    if (answer === undefined) throw new CutError("the answer ended before it was complete");
    yield { type: "end", message: toMessage(answer, options) };
  } catch (error) {
    const failure = await toFailure(error, { exchange, watchdog });
    if (!shown && await rejectsReasoning(failure, request)) {
      // Signatures expire and belong to one backend: the same request without them is valid.
      bare = { ...request, messages: request.messages.map(withoutReasoning) };
    } else yield { type: "failure", failure };
  } finally {
    watchdog.stop();
  }
  if (bare) yield* runExchange(format, { ...exchange, request: bare });
}

function toMessage(answer: Answer, options: ProviderOptions): AssistantMessage {
  return {
    role: "assistant",
    content: answer.content,
    stopReason: answer.stopReason,
    provider: options.name,
    model: options.model.id,
    ...(answer.usage === undefined ? {} : { usage: withCost(answer.usage, options.model) }),
  };
}

/** The body's chunks; ends the request when the consumer stops early. */
async function* readBytes(
  response: Response,
  watchdog: Watchdog,
): AsyncGenerator<Uint8Array, void, void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  // Not every body (a cassette, the offline model) listens to the request's signal.
  const cancel = () => void reader.cancel().catch(() => {});
  watchdog.signal.addEventListener("abort", cancel, { once: true });
  let whole = false;
  try {
    while (true) {
      const { done, value } = await reader.read();
      watchdog.signal.throwIfAborted();
      whole = done;
      if (done) return;
      watchdog.heard();
      yield value;
    }
  } finally {
    if (!whole) cancel();
  }
}

async function readText(bytes: AsyncGenerator<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return text + decoder.decode();
}

async function toFailure(
  error: unknown,
  context: { exchange: Exchange; watchdog: Watchdog },
): Promise<ProviderFailure> {
  const failure = await classifyFailure(error, context);
  const { clean } = context.exchange.options;
  return clean === undefined ? failure : { ...failure, message: await clean(failure.message) };
}

async function classifyFailure(
  error: unknown,
  context: { exchange: Exchange; watchdog: Watchdog },
): Promise<ProviderFailure> {
  const { options, signal } = context.exchange;
  const classify = await import("./classify_error.ts");
  const about = {
    host: new URL(options.baseUrl).host,
    model: options.model.id,
    secrets: options.apiKey === undefined ? [] : [options.apiKey],
    ...(options.keyName === undefined ? {} : { keyName: options.keyName }),
  };
  if (signal.aborted) return classify.createFailure("aborted", about);
  const stalled = context.watchdog.stalledMs;
  if (stalled !== undefined) {
    const detail = `nothing came for ${stalled / 1000} s`;
    return classify.createFailure("timeout", about, { detail });
  }
  if (error instanceof HttpError) {
    const { status, headers } = error.response;
    return classify.classifyAnswer({ status, headers, body: error.body }, about);
  }
  if (error instanceof InlineError) return classify.classifyInline(error.body, about);
  if (error instanceof MalformedError) {
    return classify.createFailure("malformed", about, { detail: error.message, status: 200 });
  }
  if (error instanceof CutError) {
    return classify.createFailure("network", about, { detail: error.message });
  }
  return classify.classifyException(error, about);
}
