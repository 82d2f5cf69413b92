/**
 * Anthropic Messages, native: reads its event stream. The request, with its cache markers,
 * is written in `anthropic_messages_convert.ts`.
 */
// deno-lint-ignore-file camelcase -- wire names
import type { SseEvent } from "../util/sse.ts";
import type { ReasoningPart, StopReason, Usage } from "../protocol/message.ts";
import type { ModelRequest, Provider, ProviderEvent } from "../protocol/provider.ts";
import { encodeAnthropic, type ThinkingOpaque } from "./anthropic_messages_convert.ts";
import { type Answer, type AnswerReader, InlineError, parseAnswer } from "./answer_stream.ts";
import { createWireProvider, type ProviderOptions } from "./exchange.ts";
import { callIdPrefix, countOf, entryOf, PartsBuilder, stringOf } from "./parts.ts";

interface Block {
  type?: string;
  text?: string;
  thinking?: string;
  signature?: string;
  data?: string;
  id?: string;
  name?: string;
  input?: unknown;
}

interface Delta {
  type?: string;
  text?: string;
  thinking?: string;
  signature?: string;
  partial_json?: string;
  stop_reason?: string | null;
}

interface AnthropicEvent {
  type?: string;
  index?: number;
  message?: { usage?: AnthropicUsage };
  content_block?: Block;
  delta?: Delta;
  usage?: AnthropicUsage;
}

const STOP_REASONS: Record<string, StopReason> = {
  end_turn: "end",
  stop_sequence: "end",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

/** A provider on `{baseUrl}/v1/messages`. */
export function createAnthropicProvider(options: ProviderOptions): Provider {
  return createWireProvider({
    encode: (request) => encodeAnthropic(request, options),
    reader: (request) => new MessagesReader(request),
  }, options);
}

class MessagesReader implements AnswerReader {
  #parts: PartsBuilder;
  #thinking = new Map<number, ReasoningPart>();
  #usage: AnthropicUsage | undefined;
  #stop: string | undefined;
  #done = false;

  constructor(request: ModelRequest) {
    this.#parts = new PartsBuilder(callIdPrefix(request.messages.length));
  }

  event(event: SseEvent): ProviderEvent[] {
    return this.#event(parseAnswer(event.data) as AnthropicEvent);
  }

  whole(body: Record<string, unknown>): ProviderEvent[] {
    const { content, usage, stop_reason } = body as {
      content?: Block[];
      usage?: AnthropicUsage;
      stop_reason?: string;
    };
    if (!Array.isArray(content)) throw new TypeError("it has no content");
    this.#usage = usage;
    this.#stop = stop_reason;
    this.#done = true;
    return content.flatMap((block, index) => this.#begin(block, index));
  }

  result(): Answer | undefined {
    if (!this.#done) return undefined;
    const said = entryOf(STOP_REASONS, this.#stop ?? "end_turn") ?? "end";
    return {
      content: this.#parts.parts,
      stopReason: this.#parts.stopReason(said),
      usage: this.#usage ? readUsage(this.#usage) : undefined,
    };
  }

  #event(event: AnthropicEvent): ProviderEvent[] {
    const index = event.index ?? 0;
    switch (event.type) {
      case "message_start":
        this.#usage = event.message?.usage;
        return [];
      case "content_block_start":
        return this.#begin(event.content_block ?? {}, index);
      case "content_block_delta":
        return this.#delta(event.delta ?? {}, index);
      case "message_delta":
        // Counts here are totals of the whole message; gateways send all of them only here.
        this.#usage = { ...this.#usage, ...event.usage };
        this.#stop = event.delta?.stop_reason ?? this.#stop;
        return [];
      case "message_stop":
        this.#done = true;
        return [];
      case "error":
        throw new InlineError(event);
      default:
        return [];
    }
  }

  #begin(block: Block, index: number): ProviderEvent[] {
    switch (block.type) {
      case "text":
        return this.#parts.text(stringOf(block.text));
      case "thinking":
        this.#begunThinking(index, { signature: stringOf(block.signature) });
        return this.#delta({ type: "thinking_delta", thinking: stringOf(block.thinking) }, index);
      case "redacted_thinking":
        this.#begunThinking(index, { redacted: stringOf(block.data) });
        return [];
      case "tool_use": {
        const input = block.input ?? {};
        const empty = typeof input === "object" && Object.keys(input).length === 0;
        return this.#parts.toolCall(`${index}`, {
          id: stringOf(block.id),
          name: stringOf(block.name),
          arguments: empty ? "" : JSON.stringify(input),
        });
      }
      default:
        return [];
    }
  }

  #begunThinking(index: number, opaque: Omit<ThinkingOpaque, "format">): void {
    this.#parts.hold(JSON.stringify(opaque));
    const part: ReasoningPart = { type: "reasoning", text: "" };
    part.opaque = { format: "anthropic", ...opaque } satisfies ThinkingOpaque;
    this.#thinking.set(index, this.#parts.reasoningPart(part));
  }

  #delta(delta: Delta, index: number): ProviderEvent[] {
    const thinking = this.#thinking.get(index);
    switch (delta.type) {
      case "text_delta":
        return this.#parts.text(stringOf(delta.text));
      case "thinking_delta": {
        const text = stringOf(delta.thinking);
        if (thinking === undefined || text === "") return [];
        this.#parts.hold(text);
        thinking.text += text;
        return [{ type: "reasoning_delta", text }];
      }
      case "signature_delta":
        if (thinking) (thinking.opaque as ThinkingOpaque).signature = stringOf(delta.signature);
        return [];
      case "input_json_delta":
        return this.#parts.toolCall(`${index}`, { arguments: stringOf(delta.partial_json) });
      default:
        return [];
    }
  }
}

interface AnthropicUsage {
  input_tokens?: number;
  output_tokens?: number;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
}

/** Anthropic counts cached tokens beside, not within, the input tokens. */
function readUsage(usage: AnthropicUsage): Usage {
  const cached = countOf(usage.cache_read_input_tokens);
  const written = countOf(usage.cache_creation_input_tokens);
  return {
    inputTokens: countOf(usage.input_tokens) + cached + written,
    outputTokens: countOf(usage.output_tokens),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: 0,
  };
}
