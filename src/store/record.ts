/** What the store keeps and gives back, as types, and the conversions between rows and records. */
import {
  type ImagePart,
  imagesOf,
  type Message,
  messageText,
  toolCallsOf,
  type Usage,
} from "../protocol/message.ts";
import type { Row } from "./database.ts";

/** What the model is told, and the part of it that whoever opened the session asked for. */
export interface PromptFacts {
  systemPrompt: string;
  /** Empty when nothing was asked for; absent where that is not known. */
  ownPrompt?: string;
}

/**
 * Notes of a session beside its row: the text that `SessionSpec.prompt` added to the instructions
 * (sessions of older versions have none), the address of a model that no provider's name stands
 * for, and the id of the call that waits for a person's yes.
 */
export type SessionNote = "own_prompt" | "model_address" | "asking";

/** What is said of a session when it begins. */
export interface NewSession extends PromptFacts {
  /** A fresh sortable id when absent. */
  id?: string;
  /** Any text; shortened to a line. */
  title?: string;
  /** The surface it began on: `run`, `chat`, … */
  source: string;
  cwd: string;
  provider: string;
  model: string;
  /** The session this one continues or works for. */
  parentId?: string;
}

export interface SessionRecord extends NewSession {
  id: string;
  createdAt: number;
  updatedAt: number;
  endedAt?: number;
  endReason?: string;
  messageCount: number;
  toolCallCount: number;
}

/** A session in a list: without the prompt, with the beginning of what was first asked. */
export type SessionSummary = Omit<SessionRecord, keyof PromptFacts> & { preview: string };

export interface StoredMessage {
  id: number;
  createdAt: number;
  message: Message;
  /** What was stored is no message; `message` only says so. */
  isDamaged?: true;
}

export interface UsageRecord {
  createdAt: number;
  provider: string;
  model: string;
  usage: Usage;
}

/** All sessions of a store, counted. */
export interface StoreStats {
  sessions: number;
  messages: number;
  sessionsBySource: Record<string, number>;
  usage: Usage;
  oldestAt?: number;
  newestAt?: number;
  bytes: number;
}

/** A tool call made by a script of `execute_code`: kept for the record, never sent to the model. */
export interface ScriptCall {
  parentCallId: string;
  name: string;
  /** JSON text as the script sent it. */
  arguments: string;
  result: string;
  isError: boolean;
  durationMs: number;
}

export type ScriptCallRecord = ScriptCall & { createdAt: number };

/** What `toUsage` reads of several calls. */
export const TOKEN_SUMS =
  "sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, " +
  "sum(cached_input_tokens) AS cached_input_tokens, sum(cache_write_tokens) AS cache_write_tokens, " +
  "sum(reasoning_tokens) AS reasoning_tokens, sum(cost_usd) AS cost_usd";

/** Columns of `sessions` that make a summary; `systemPrompt` is read only where it is wanted. */
export const SUMMARY_COLUMNS = "id, title, source, cwd, provider, model, parent_id, created_at, " +
  "updated_at, ended_at, end_reason, message_count, tool_call_count";

/** What `toRecord` reads. */
export const RECORD_COLUMNS = `${SUMMARY_COLUMNS}, system_prompt,
  (SELECT text FROM session_notes WHERE session_id = id AND name = 'own_prompt') AS own_prompt`;

/** A session with its prompt. */
export function toRecord(row: Row): SessionRecord {
  const { system_prompt: systemPrompt, own_prompt: ownPrompt } = row;
  return {
    ...toSession(row),
    systemPrompt: systemPrompt as string,
    ...(typeof ownPrompt === "string" && { ownPrompt }),
  };
}

/** A row without `system_prompt` as the part of the record it holds. */
export function toSession(row: Row): Omit<SessionRecord, "systemPrompt"> {
  return {
    id: row["id"] as string,
    ...(row["title"] !== null && { title: row["title"] as string }),
    source: row["source"] as string,
    cwd: row["cwd"] as string,
    provider: row["provider"] as string,
    model: row["model"] as string,
    ...(row["parent_id"] !== null && { parentId: row["parent_id"] as string }),
    createdAt: row["created_at"] as number,
    updatedAt: row["updated_at"] as number,
    ...(row["ended_at"] !== null && { endedAt: row["ended_at"] as number }),
    ...(row["end_reason"] !== null && { endReason: row["end_reason"] as string }),
    messageCount: row["message_count"] as number,
    toolCallCount: row["tool_call_count"] as number,
  };
}

export function toStoredMessage(row: Row): StoredMessage {
  const message = parseMessage(row["body"]);
  return {
    id: row["id"] as number,
    createdAt: row["created_at"] as number,
    message: message ?? UNREADABLE,
    ...(message === undefined && { isDamaged: true }),
  };
}

const UNREADABLE: Message = {
  role: "user",
  content: [{ type: "text", text: "[a message that can no longer be read]" }],
};

/** The message of a row, or one that says that it cannot be read. */
export function readableMessage(body: unknown): Message {
  return parseMessage(body) ?? UNREADABLE;
}

/** Undefined for what is no message: one bad row must not hide all the others. */
function parseMessage(body: unknown): Message | undefined {
  try {
    const message = JSON.parse(String(body)) as Message;
    switch (message.role) {
      case "tool":
        return [message.name, message.toolCallId, message.content].every((text) =>
            typeof text === "string"
          ) && (message.images ?? []).every(isPart)
          ? message
          : undefined;
      case "user":
      case "assistant":
        return message.content.every(isPart) ? message : undefined;
      default:
        return undefined;
    }
  } catch {
    return undefined; // no JSON, or of another shape
  }
}

/** The fields by which parts are shown and counted. */
function isPart(part: Message["content"][number] | ImagePart): boolean {
  const { type, text, id, name, arguments: args, ref } = part as unknown as Record<string, unknown>;
  const fields = type === "tool_call" ? [id, name, args] : type === "image" ? [ref] : [text];
  return fields.every((field) => typeof field === "string");
}

export function toUsageRecord(row: Row): UsageRecord {
  return {
    createdAt: row["created_at"] as number,
    provider: row["provider"] as string,
    model: row["model"] as string,
    usage: toUsage(row),
  };
}

/** Token counts of one call or a sum of calls; the cost is absent when no price was known. */
export function toUsage(row: Row): Usage {
  return {
    inputTokens: Number(row["input_tokens"] ?? 0),
    outputTokens: Number(row["output_tokens"] ?? 0),
    cachedInputTokens: Number(row["cached_input_tokens"] ?? 0),
    cacheWriteTokens: Number(row["cache_write_tokens"] ?? 0),
    reasoningTokens: Number(row["reasoning_tokens"] ?? 0),
    ...(row["cost_usd"] !== null && { costUsd: row["cost_usd"] as number }),
  };
}

export function toScriptCall(row: Row): ScriptCallRecord {
  return {
    createdAt: row["created_at"] as number,
    parentCallId: row["parent_call_id"] as string,
    name: row["name"] as string,
    arguments: row["arguments"] as string,
    result: row["result"] as string,
    isError: row["is_error"] === 1,
    durationMs: row["duration_ms"] as number,
  };
}

/** A message as it is stored: image bytes stay out, their reference goes in. */
export function encodeMessage(message: Message): string {
  switch (message.role) {
    case "assistant":
      return JSON.stringify(message);
    case "tool":
      return JSON.stringify(
        message.images ? { ...message, images: message.images.map(withoutBytes) } : message,
      );
    case "user": {
      const content = message.content.map((part) =>
        part.type === "text" ? part : withoutBytes(part)
      );
      return JSON.stringify({ ...message, content });
    }
  }
}

function withoutBytes({ data: _bytes, ...reference }: ImagePart): ImagePart {
  return reference;
}

/** Blobs of the home directory that a message refers to. */
export function blobRefs(message: Message): string[] {
  return imagesOf(message).flatMap(({ ref }) => ref.startsWith("sha256:") ? [ref] : []);
}

/** How many tools an assistant's message calls. */
export function countToolCalls(message: Message): number {
  return message.role === "assistant" ? toolCallsOf(message).length : 0;
}

const PREVIEW_CHARS = 80;

/** The beginning of what was first asked, on one line. */
export function previewOf(row: Row): string {
  if (row["first_message"] === null) return "";
  const text = messageText(readableMessage(row["first_message"]));
  return text.slice(0, PREVIEW_CHARS * 4).replaceAll(/\s+/g, " ").trim().slice(0, PREVIEW_CHARS);
}
