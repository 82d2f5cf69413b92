/**
 * OpenAI Responses: reads its event stream. The request is written in
 * `openai_responses_convert.ts`. Nothing is stored on the server; reasoning travels encrypted.
 */
// deno-lint-ignore-file camelcase -- wire names
import type { SseEvent } from "../util/sse.ts";
import type { StopReason, Usage } from "../protocol/message.ts";
import type { ModelRequest, Provider, ProviderEvent } from "../protocol/provider.ts";
import { type Answer, type AnswerReader, InlineError, parseAnswer } from "./answer_stream.ts";
import { createWireProvider, type ProviderOptions } from "./exchange.ts";
import { encodeResponses, type ResponsesReasoning } from "./openai_responses_convert.ts";
import { callIdPrefix, countOf, PartsBuilder, stringOf } from "./parts.ts";

interface OutputItem {
  type?: string;
  id?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  encrypted_content?: string;
  summary?: { text?: string }[];
  content?: { type?: string; text?: string; refusal?: string }[];
}

export interface ResponsesEvent {
  type?: string;
  delta?: unknown;
  output_index?: number;
  item?: OutputItem;
  response?: ResponseObject;
  error?: unknown;
}

interface ResponseObject {
  status?: string;
  output?: OutputItem[];
  error?: unknown;
  incomplete_details?: { reason?: string } | null;
  usage?: ResponsesUsage | null;
}

/** A provider on `{baseUrl}/responses`. */
export function createResponsesProvider(options: ProviderOptions): Provider {
  return createWireProvider({
    encode: (request) => encodeResponses(request, options),
    reader: (request) => new ResponsesReader(request),
  }, options);
}

class ResponsesReader implements AnswerReader {
  #parts: PartsBuilder;
  #finished: ResponseObject | undefined;
  #refused = false;
  /** Output items whose text came as deltas; their closing event repeats it. */
  #streamed = new Set<number>();

  constructor(request: ModelRequest) {
    this.#parts = new PartsBuilder(callIdPrefix(request.messages.length));
  }

  event(event: SseEvent): ProviderEvent[] {
    if (event.data === "[DONE]") return [];
    return this.#event(parseAnswer(event.data) as ResponsesEvent);
  }

  whole(body: Record<string, unknown>): ProviderEvent[] {
    const response = body as ResponseObject;
    if (!Array.isArray(response.output)) throw new TypeError("it has no output");
    return this.#finish(response);
  }

  result(): Answer | undefined {
    if (this.#finished === undefined) return undefined;
    return {
      content: this.#parts.parts,
      stopReason: this.#parts.stopReason(this.#stopReason(this.#finished)),
      usage: this.#finished.usage ? readUsage(this.#finished.usage) : undefined,
    };
  }

  #event(event: ResponsesEvent): ProviderEvent[] {
    const index = event.output_index ?? 0;
    switch (event.type) {
      case "response.output_text.delta":
        this.#streamed.add(index);
        return this.#parts.text(stringOf(event.delta));
      case "response.refusal.delta":
        this.#streamed.add(index);
        this.#refused = true;
        return this.#parts.text(stringOf(event.delta));
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#streamed.add(index);
        return this.#parts.reasoning(stringOf(event.delta));
      case "response.reasoning_summary_part.added":
        return this.#streamed.has(index) ? this.#parts.reasoning("\n\n") : [];
      case "response.output_item.added":
        return event.item?.type === "function_call" ? this.#call(event.item, index, "") : [];
      case "response.function_call_arguments.delta":
        this.#streamed.add(index);
        return this.#parts.toolCall(`${index}`, { arguments: stringOf(event.delta) });
      case "response.output_item.done":
        return event.item ? this.#itemDone(event.item, index) : [];
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return this.#finish(event.response ?? {});
      case "error":
        throw new InlineError(event);
      default:
        return [];
    }
  }

  #itemDone(item: OutputItem, index: number): ProviderEvent[] {
    const streamed = this.#streamed.has(index);
    switch (item.type) {
      case "reasoning":
        return this.#reasoningDone(item, streamed);
      case "function_call":
        return this.#call(item, index, streamed ? "" : stringOf(item.arguments));
      case "message":
        return streamed ? [] : (item.content ?? []).flatMap((part) => {
          this.#refused ||= part.refusal !== undefined;
          return this.#parts.text(stringOf(part.text ?? part.refusal));
        });
      default:
        return [];
    }
  }

  #call(item: OutputItem, index: number, args: string): ProviderEvent[] {
    return this.#parts.toolCall(`${index}`, {
      id: stringOf(item.call_id ?? item.id),
      name: stringOf(item.name),
      arguments: args,
    });
  }

  #reasoningDone(item: OutputItem, streamed: boolean): ProviderEvent[] {
    const summary = (item.summary ?? []).map((part) => stringOf(part.text)).join("\n\n");
    const events = streamed ? [] : this.#parts.reasoning(summary);
    const encrypted = item.encrypted_content;
    if (!encrypted) return events;
    const opaque: ResponsesReasoning = {
      format: "responses",
      encrypted,
      summary: item.summary ?? [],
    };
    this.#parts.hold(JSON.stringify(opaque));
    const last = this.#parts.parts.at(-1);
    if (last?.type === "reasoning" && last.opaque === undefined) last.opaque = opaque;
    else this.#parts.reasoningPart({ type: "reasoning", text: "", opaque });
    return events;
  }

  #finish(response: ResponseObject): ProviderEvent[] {
    if (response.status === "failed" || response.error) throw new InlineError(response);
    this.#finished = response;
    // Some gateways send only this last event; otherwise its output repeats what was streamed.
    if (this.#parts.parts.length > 0) return [];
    return (response.output ?? []).flatMap((item, index) => this.#itemDone(item, index));
  }

  #stopReason(response: ResponseObject): StopReason {
    if (this.#refused) return "content_filter";
    if (response.status !== "incomplete") return "end";
    return response.incomplete_details?.reason === "content_filter" ? "content_filter" : "length";
  }
}

export interface ResponsesUsage {
  input_tokens?: number;
  output_tokens?: number;
  input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null;
  output_tokens_details?: { reasoning_tokens?: number } | null;
}

function readUsage(usage: ResponsesUsage): Usage {
  return {
    inputTokens: countOf(usage.input_tokens),
    outputTokens: countOf(usage.output_tokens),
    cachedInputTokens: countOf(usage.input_tokens_details?.cached_tokens),
    cacheWriteTokens: countOf(usage.input_tokens_details?.cache_write_tokens),
    reasoningTokens: countOf(usage.output_tokens_details?.reasoning_tokens),
  };
}
