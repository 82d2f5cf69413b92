/**
 * OpenAI Chat Completions, the format most servers speak: reads its streamed chunks. The
 * request is written in `openai_chat_convert.ts`.
 */
// deno-lint-ignore-file camelcase -- wire names
import type { SseEvent } from "../util/sse.ts";
import type { StopReason, Usage } from "../protocol/message.ts";
import type { ModelRequest, Provider, ProviderEvent } from "../protocol/provider.ts";
import { type Answer, type AnswerReader, InlineError, parseAnswer } from "./answer_stream.ts";
import { createWireProvider, type ProviderOptions } from "./exchange.ts";
import { type ChatReasoning, createChatEncoder } from "./openai_chat_convert.ts";
import { callIdPrefix, countOf, entryOf, PartsBuilder, stringOf } from "./parts.ts";
import { ThinkTagSplitter } from "./think_tags.ts";

interface ChatDelta {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  reasoning_details?: unknown;
  refusal?: unknown;
  tool_calls?: ChatToolCall[] | null;
}

interface ChatToolCall {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: unknown };
  /** Gemini's thought signatures. */
  extra_content?: unknown;
}

export interface ChatChunk {
  error?: unknown;
  choices?: { delta?: ChatDelta; message?: ChatDelta; finish_reason?: unknown }[];
  usage?: unknown;
}

const STOP_REASONS: Record<string, StopReason> = {
  stop: "end",
  eos: "end",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  length: "length",
  max_tokens: "length",
  content_filter: "content_filter",
  refusal: "content_filter",
};

/** A provider on `{baseUrl}/chat/completions`. */
export function createChatProvider(options: ProviderOptions): Provider {
  return createWireProvider({
    encode: createChatEncoder(options),
    reader: (request) => new ChatReader(request),
  }, options);
}

class ChatReader implements AnswerReader {
  #parts: PartsBuilder;
  #think = new ThinkTagSplitter();
  #details: unknown[] = [];
  #callExtras: Record<string, unknown> = {};
  #callRounds = new Map<number, number>();
  #reasoningField: ChatReasoning["field"];
  #finish: string | undefined;
  #done = false;
  #usage: Usage | undefined;

  constructor(request: ModelRequest) {
    this.#parts = new PartsBuilder(callIdPrefix(request.messages.length));
  }

  event(event: SseEvent): ProviderEvent[] {
    if (event.data === "[DONE]") {
      this.#done = true;
      return this.#flush();
    }
    return this.#chunk(parseAnswer(event.data) as ChatChunk);
  }

  whole(body: Record<string, unknown>): ProviderEvent[] {
    if (!Array.isArray(body["choices"])) throw new TypeError("it has no choices");
    this.#done = true;
    return [...this.#chunk(body as ChatChunk), ...this.#flush()];
  }

  result(): Answer | undefined {
    if (!this.#done && this.#finish === undefined) return undefined;
    this.#keepOpaque();
    const said = entryOf(STOP_REASONS, this.#finish ?? "stop") ?? "end";
    return {
      content: this.#parts.parts,
      stopReason: this.#parts.stopReason(said),
      usage: this.#usage,
    };
  }

  #chunk(chunk: ChatChunk): ProviderEvent[] {
    if (chunk.error) throw new InlineError(chunk);
    if (chunk.usage) this.#usage = readUsage(chunk.usage as ChatUsage);
    const choice = chunk.choices?.[0];
    if (choice === undefined) return [];
    const events = this.#delta(choice.delta ?? choice.message ?? {});
    if (!choice.finish_reason) return events;
    this.#finish = String(choice.finish_reason).toLowerCase();
    if (this.#finish === "error") {
      throw new InlineError({ error: { message: "generation failed" } });
    }
    return [...events, ...this.#flush()];
  }

  /** Text held back as the possible start of a tag. */
  #flush(): ProviderEvent[] {
    const held = this.#think.end();
    return [...this.#parts.reasoning(held.reasoning), ...this.#parts.text(held.text)];
  }

  #delta(delta: ChatDelta): ProviderEvent[] {
    const events = this.#reasoning(delta);
    const content = readContent(delta.content);
    events.push(...this.#parts.reasoning(content.reasoning));
    const split = this.#think.push(content.text);
    events.push(...this.#parts.reasoning(split.reasoning), ...this.#parts.text(split.text));
    if (stringOf(delta.refusal) !== "") {
      this.#finish = "refusal";
      events.push(...this.#parts.text(stringOf(delta.refusal)));
    }
    for (const [position, call] of (delta.tool_calls ?? []).entries()) {
      events.push(...this.#toolCall(call, position));
    }
    return events;
  }

  #reasoning(delta: ChatDelta): ProviderEvent[] {
    const details = Array.isArray(delta.reasoning_details) ? delta.reasoning_details : [];
    if (details.length > 0) this.#parts.hold(JSON.stringify(details));
    this.#details.push(...details);
    const field = stringOf(delta.reasoning_content) !== ""
      ? "reasoning_content"
      : stringOf(delta.reasoning) !== ""
      ? "reasoning"
      : undefined;
    if (field === undefined) return [];
    this.#reasoningField = field;
    return this.#parts.reasoning(stringOf(delta[field]));
  }

  #toolCall(call: ChatToolCall, position: number): ProviderEvent[] {
    const key = this.#callKey(call, call.index ?? position);
    const args = call.function?.arguments;
    const events = this.#parts.toolCall(key, {
      id: stringOf(call.id),
      name: stringOf(call.function?.name),
      arguments: typeof args === "object" && args !== null ? JSON.stringify(args) : stringOf(args),
    });
    if (call.extra_content) {
      this.#parts.hold(JSON.stringify(call.extra_content));
      this.#callExtras[this.#parts.call(key)!.id] = call.extra_content;
    }
    return events;
  }

  /** Some servers number every call 0, or none: another named call at the same place is a new one. */
  #callKey(call: ChatToolCall, index: number): string {
    const round = this.#callRounds.get(index) ?? 0;
    const known = this.#parts.call(`${index}.${round}`);
    const another = call.id ? call.id !== known?.id : call.index === undefined;
    if (known === undefined || !call.function?.name || !another) return `${index}.${round}`;
    this.#callRounds.set(index, round + 1);
    return `${index}.${round + 1}`;
  }

  /** What the server wants back beside the reasoning's text goes on its first part. */
  #keepOpaque(): void {
    const opaque: ChatReasoning = {
      format: "chat",
      ...(this.#reasoningField === undefined ? {} : { field: this.#reasoningField }),
      ...(this.#details.length === 0 ? {} : { details: mergeDetails(this.#details) }),
      ...(Object.keys(this.#callExtras).length === 0 ? {} : { callExtras: this.#callExtras }),
    };
    if (Object.keys(opaque).length === 1) return;
    const part = this.#parts.parts.find((part) => part.type === "reasoning");
    if (part) part.opaque = opaque;
    else this.#parts.parts.unshift({ type: "reasoning", text: "", opaque });
  }
}

/** Plain text, or a list of parts of which some are thinking. */
function readContent(content: unknown): { reasoning: string; text: string } {
  const read = { reasoning: "", text: "" };
  if (!Array.isArray(content)) return { ...read, text: stringOf(content) };
  for (const part of content as { type?: string; text?: unknown; thinking?: unknown }[]) {
    if (part.type === "thinking") read.reasoning += readContent(part.thinking).text;
    else read.text += stringOf(part.text);
  }
  return read;
}

/** Streamed details come in pieces: text of neighbours of one kind and index is joined. */
function mergeDetails(details: readonly unknown[]): unknown[] {
  const merged: Record<string, unknown>[] = [];
  for (const detail of details as Record<string, unknown>[]) {
    const last = merged.at(-1);
    if (!last || last["type"] !== detail["type"] || last["index"] !== detail["index"]) {
      merged.push({ ...detail });
      continue;
    }
    for (const [key, value] of Object.entries(detail)) {
      const grows = key === "text" || key === "summary" || key === "data";
      if (grows && typeof value === "string") last[key] = stringOf(last[key]) + value;
      else if (value !== null && value !== undefined) last[key] = value;
    }
  }
  return merged;
}

export interface ChatUsage {
  prompt_tokens?: number;
  completion_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number } | null;
  /** DeepSeek's own name for cached tokens. */
  prompt_cache_hit_tokens?: number;
  /** OpenRouter states what it charged. */
  cost?: number;
}

function readUsage(usage: ChatUsage): Usage {
  const details = usage.prompt_tokens_details;
  return {
    inputTokens: countOf(usage.prompt_tokens),
    outputTokens: countOf(usage.completion_tokens),
    cachedInputTokens: countOf(details?.cached_tokens ?? usage.prompt_cache_hit_tokens),
    cacheWriteTokens: countOf(details?.cache_write_tokens),
    reasoningTokens: countOf(usage.completion_tokens_details?.reasoning_tokens),
    ...(isPrice(usage.cost) ? { costUsd: usage.cost } : {}),
  };
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}
