/**
 * Writes a request in the Anthropic Messages format, with prompt-cache markers on the tools,
 * the system prompt and the end of the conversation. Pure; reading is in `anthropic_messages.ts`.
 */
// deno-lint-ignore-file camelcase -- wire names
import type { AssistantMessage, Message, ToolMessage, UserPart } from "../protocol/message.ts";
import { isToolFailure } from "../protocol/message.ts";
import type { ModelRequest } from "../protocol/provider.ts";
import type { ProviderOptions, WireCall } from "./exchange.ts";
import { imageText } from "./images.ts";
import { historyArguments } from "./parts.ts";

/** `ReasoningPart.opaque` of this format. */
export interface ThinkingOpaque {
  format: "anthropic";
  signature?: string;
  /** Encrypted thinking that was never shown. */
  redacted?: string;
}

type Block = Record<string, unknown>;

interface Turn {
  role: "user" | "assistant";
  content: Block[];
}

const CACHE_CONTROL = { type: "ephemeral" };
const DEFAULT_MAX_TOKENS = 32_000;
const MIN_ANSWER_TOKENS = 4096;
const THINKING_BUDGET = { minimal: 2048, low: 4096, medium: 8192, high: 16_384 };

/** The whole call. */
export function encodeAnthropic(request: ModelRequest, options: ProviderOptions): WireCall {
  const turns = encodeTurns(request.messages, options);
  markLastTurns(turns);
  const tools = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  const limit = request.maxOutputTokens ?? options.model.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  const thinking = encodeThinking(request, options);
  const body: Record<string, unknown> = {
    model: options.model.id,
    max_tokens: Math.max(limit, thinking.budget === 0 ? 0 : thinking.budget + MIN_ANSWER_TOKENS),
    stream: true,
    messages: turns,
    ...thinking.body,
  };
  if (request.system !== "") {
    body["system"] = [{ type: "text", text: request.system, cache_control: CACHE_CONTROL }];
  }
  if (tools.length > 0) {
    const last = tools.length - 1;
    body["tools"] = tools.with(last, { ...tools[last]!, cache_control: CACHE_CONTROL } as never);
    body["tool_choice"] = { type: request.toolChoice ?? "auto" };
  }
  const root = options.baseUrl.replace(/\/v1$/, "");
  return {
    url: `${root}/v1/messages`,
    headers: {
      "anthropic-version": "2023-06-01",
      ...(options.apiKey ? { "x-api-key": options.apiKey } : {}),
    },
    body,
  };
}

/** Consecutive messages of one side are one turn; empty ones vanish. */
function encodeTurns(messages: readonly Message[], options: ProviderOptions): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = encodeMessage(message, options);
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function encodeMessage(message: Message, options: ProviderOptions): Block[] {
  switch (message.role) {
    case "user":
      return message.content.flatMap((part) => encodeUser(part, options));
    case "tool":
      return [{
        type: "tool_result",
        tool_use_id: safeId(message.toolCallId),
        content: encodeResult(message, options),
        ...(isToolFailure(message.isError, message.details) ? { is_error: true } : {}),
      }];
    case "assistant":
      return encodeAssistant(message, options);
  }
}

/** Text alone stays a string, as it always was; images are blocks beside it. */
function encodeResult(message: ToolMessage, options: ProviderOptions): string | Block[] {
  if (message.images === undefined) return message.content || "(no output)";
  return [
    ...textBlock(message.content),
    ...message.images.flatMap((image) => encodeUser(image, options)),
  ];
}

function encodeUser(part: UserPart, options: ProviderOptions): Block[] {
  if (part.type === "text") return textBlock(part.text);
  const allowed = options.model.images !== false;
  if (allowed && part.data !== undefined) {
    const source = { type: "base64", media_type: part.mediaType, data: part.data };
    return [{ type: "image", source }];
  }
  if (allowed && /^https?:/.test(part.ref)) {
    return [{ type: "image", source: { type: "url", url: part.ref } }];
  }
  return textBlock(imageText(allowed));
}

/** Blank text blocks are refused by the API. */
function textBlock(text: string): Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function encodeAssistant(message: AssistantMessage, options: ProviderOptions): Block[] {
  const own = message.provider === options.name;
  return message.content.flatMap((part): Block[] => {
    switch (part.type) {
      case "text":
        return textBlock(part.text);
      case "tool_call": {
        const input = historyArguments(part.arguments);
        return [{ type: "tool_use", id: safeId(part.id), name: part.name, input }];
      }
      case "reasoning": {
        const opaque = part.opaque as Partial<ThinkingOpaque> | undefined;
        if (!own || opaque?.format !== "anthropic") return [];
        if (opaque.redacted) return [{ type: "redacted_thinking", data: opaque.redacted }];
        if (!opaque.signature) return [];
        return [{ type: "thinking", thinking: part.text, signature: opaque.signature }];
      }
    }
  });
}

/** Calls made by another provider may have ids that this API refuses. */
function safeId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_") || "call";
}

/** Marks the last block of the last two turns of the person's side, so that each turn extends the cache. */
function markLastTurns(turns: readonly Turn[]): void {
  for (const turn of turns.filter((turn) => turn.role === "user").slice(-2)) {
    turn.content.at(-1)!["cache_control"] = CACHE_CONTROL;
  }
}

/** Newer Claude models choose their own budget; older ones are given one. */
function encodeThinking(
  request: ModelRequest,
  options: ProviderOptions,
): { budget: number; body: Record<string, unknown> } {
  const effort = request.reasoningEffort;
  const none = { budget: 0, body: {} };
  // Without a word about it, Claude does not think before it answers.
  if (effort === undefined || effort === "none" || !options.model.reasoning) return none;
  const version = /claude-[a-z]+-(\d+)(?:[.-](\d{1,2})(?!\d))?/.exec(options.model.id);
  const generation = version ? Number(version[1]) + Number(version[2] ?? 0) / 10 : 0;
  if (generation >= 4.6) {
    const level = effort === "minimal" ? "low" : effort;
    return {
      budget: 0,
      body: { thinking: { type: "adaptive" }, output_config: { effort: level } },
    };
  }
  // A tool call without its signed thinking may not be continued with thinking on.
  if (!canThink(request.messages, options.name)) return none;
  const budget = THINKING_BUDGET[effort];
  return { budget, body: { thinking: { type: "enabled", budget_tokens: budget } } };
}

function canThink(messages: readonly Message[], provider: string): boolean {
  if (messages.at(-1)?.role !== "tool") return true;
  const last = messages.findLast((message) => message.role === "assistant");
  if (last === undefined || last.provider !== provider) return false;
  const [first] = last.content;
  return first?.type === "reasoning" && first.opaque !== undefined;
}
