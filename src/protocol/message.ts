/**
 * The conversation, independent of any provider's wire format: what the loop carries,
 * what the store keeps, what every provider converts from and to.
 */
import type { ToolDetails } from "./tool_details.ts";

export interface TextPart {
  type: "text";
  text: string;
}

/** An image by reference. `data` (base64) is filled just before a request and never stored. */
export interface ImagePart {
  type: "image";
  mediaType: string;
  /** `sha256:<hex>` of a blob in the home directory, or an http(s) URL. */
  ref: string;
  data?: string;
}

/** Model reasoning. `opaque` carries whatever the provider wants back unchanged (signatures, encrypted blocks). */
export interface ReasoningPart {
  type: "reasoning";
  text: string;
  opaque?: unknown;
}

/** A call as the model wrote it; `arguments` stays the raw JSON text. */
export interface ToolCallPart {
  type: "tool_call";
  id: string;
  name: string;
  arguments: string;
}

export type UserPart = TextPart | ImagePart;
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export type StopReason =
  | "end"
  | "tool_calls"
  | "length"
  | "content_filter"
  | "error"
  | "aborted";

/** Tokens of one model call. `inputTokens` counts everything sent, cached tokens included. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** US dollars; absent when the price of the model is unknown. */
  costUsd?: number;
}

export interface UserMessage {
  role: "user";
  content: UserPart[];
  /** Written by hermes, not by the person (a continuation nudge, steering, a schema complaint). */
  synthetic?: boolean;
}

export interface AssistantMessage {
  role: "assistant";
  content: AssistantPart[];
  stopReason: StopReason;
  provider: string;
  model: string;
  usage?: Usage;
}

export interface ToolMessage {
  role: "tool";
  toolCallId: string;
  name: string;
  /** What the model reads: JSON text, already limited and redacted. */
  content: string;
  /** The call did not do what was asked. */
  isError: boolean;
  /** Images of the result; each wire sends them its own way. */
  images?: ImagePart[];
  /** For surfaces and observers; never sent to a model. */
  details?: ToolDetails;
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

/** The empty usage record, a fresh object each call. */
export function zeroUsage(): Usage {
  return {
    inputTokens: 0,
    outputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
}

/** All text of a message joined, reasoning and tool calls left out. */
export function messageText(message: Message): string {
  if (message.role === "tool") return message.content;
  let text = "";
  for (const part of message.content) if (part.type === "text") text += part.text;
  return text;
}

/** The images of a message, in order. */
export function imagesOf(message: Message): ImagePart[] {
  if (message.role === "tool") return message.images ?? [];
  if (message.role === "assistant") return [];
  return message.content.filter((part) => part.type === "image");
}

/** The tool calls of an assistant message, in source order. */
export function toolCallsOf(message: AssistantMessage): ToolCallPart[] {
  return message.content.filter((part) => part.type === "tool_call");
}

/**
 * True when the tool itself failed or refused. A program that ended badly is a result: its text
 * says how, and a wire has no flag for that.
 */
export function isToolFailure(isError: boolean, details: ToolDetails | undefined): boolean {
  if (!isError) return false;
  const kind = details?.kind;
  return kind !== "command" && kind !== "script" && kind !== "process";
}

/** The message with every repeated call id made unique (`_d2`, `_d3`, …): results are paired by id. */
export function withUniqueCallIds(message: AssistantMessage): AssistantMessage {
  const taken = new Set<string>();
  const content = message.content.map((part) => {
    if (part.type !== "tool_call") return part;
    let id = part.id;
    for (let n = 2; taken.has(id); n++) id = `${part.id}_d${n}`;
    taken.add(id);
    return id === part.id ? part : { ...part, id };
  });
  return { ...message, content };
}
