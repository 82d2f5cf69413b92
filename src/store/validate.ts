/** Checks values read from an export file: every wrong line is named with what is wrong in it. */
import { UsageError } from "../protocol/error.ts";
import type { Message } from "../protocol/message.ts";
import { isAbsolute } from "../util/path.ts";
import type { ScriptCallRecord, SessionRecord, UsageRecord } from "./record.ts";

/** An id names files, and is written on command lines. */
const SESSION_ID = /^[0-9A-Za-z][\w-]{0,63}$/;

/** How far the clock of another machine may be ahead. */
const MAX_AHEAD_MS = 24 * 3_600_000;

type Fields = Record<string, unknown>;
/** Expected type by field; a trailing `?` allows it to be absent. */
type Shape = Readonly<Record<string, Kind | `${Kind}?`>>;
type Kind = "string" | "integer" | "number" | "boolean";

const SESSION: Shape = {
  id: "string",
  title: "string?",
  source: "string",
  cwd: "string",
  provider: "string",
  model: "string",
  systemPrompt: "string",
  parentId: "string?",
  createdAt: "integer",
  updatedAt: "integer",
  endedAt: "integer?",
  endReason: "string?",
  messageCount: "integer",
  toolCallCount: "integer",
};
const USAGE: Shape = {
  inputTokens: "integer",
  outputTokens: "integer",
  cachedInputTokens: "integer",
  cacheWriteTokens: "integer",
  reasoningTokens: "integer",
  costUsd: "number?",
};
const SCRIPT_CALL: Shape = {
  createdAt: "integer",
  parentCallId: "string",
  name: "string",
  arguments: "string",
  result: "string",
  isError: "boolean",
  durationMs: "integer",
};
const TOOL_MESSAGE: Shape = {
  toolCallId: "string",
  name: "string",
  content: "string",
  isError: "boolean",
};
const ASSISTANT_MESSAGE: Shape = { stopReason: "string", provider: "string", model: "string" };
const USER_PARTS: Readonly<Record<string, Shape>> = {
  text: { text: "string" },
  image: { mediaType: "string", ref: "string" },
};
const TOOL_IMAGES: Readonly<Record<string, Shape>> = {
  image: { mediaType: "string", ref: "string" },
};
const ASSISTANT_PARTS: Readonly<Record<string, Shape>> = {
  text: { text: "string" },
  reasoning: { text: "string" },
  "tool_call": { id: "string", name: "string", arguments: "string" },
};

/** @throws {UsageError} like all functions here; `where` begins the message. */
export function checkSession(value: unknown, where: string): SessionRecord {
  const session = checkShape(value, SESSION, `${where}: session`) as unknown as SessionRecord;
  if (!SESSION_ID.test(session.id) || session.id === "latest") {
    throw new UsageError(`${where}: session: "id" must be up to 64 letters, digits, - and _`);
  }
  // The session used last is the one that `latest` means.
  if (session.updatedAt > Date.now() + MAX_AHEAD_MS) {
    throw new UsageError(`${where}: session: "updatedAt" is in the future`);
  }
  // Lists and searches go by the directory: only a place that is the same from everywhere will do.
  if (session.cwd !== "" && (!isAbsolute(session.cwd) || session.cwd.includes("\0"))) {
    throw new UsageError(`${where}: session: "cwd" must be an absolute path`);
  }
  return session;
}

export function checkUsageRecord(value: unknown, where: string): UsageRecord {
  const record = checkShape(
    value,
    { createdAt: "integer", provider: "string", model: "string" },
    where,
  );
  checkShape(record["usage"], USAGE, `${where}: usage`);
  return record as unknown as UsageRecord;
}

export function checkScriptCall(value: unknown, where: string): ScriptCallRecord {
  return checkShape(value, SCRIPT_CALL, where) as unknown as ScriptCallRecord;
}

export function checkStoredMessage(
  value: unknown,
  where: string,
): { createdAt: number; message: Message } {
  const { createdAt, message } = checkShape(value, { createdAt: "integer" }, where);
  return { createdAt: createdAt as number, message: checkMessage(message, where) };
}

function checkMessage(value: unknown, where: string): Message {
  const message = asFields(value, `${where}: message`);
  switch (message["role"]) {
    case "tool":
      checkShape(message, TOOL_MESSAGE, `${where}: message`);
      if (message["images"] !== undefined) checkParts(message["images"], TOOL_IMAGES, where);
      if (message["details"] !== undefined) {
        checkShape(message["details"], { kind: "string" }, `${where}: details`);
      }
      break;
    case "assistant":
      checkShape(message, ASSISTANT_MESSAGE, `${where}: message`);
      if (message["usage"] !== undefined) checkShape(message["usage"], USAGE, `${where}: usage`);
      checkParts(message["content"], ASSISTANT_PARTS, where);
      break;
    case "user":
      checkParts(message["content"], USER_PARTS, where);
      break;
    default:
      throw new UsageError(`${where}: "role" must be user, assistant or tool`);
  }
  return message as unknown as Message;
}

function checkParts(value: unknown, shapes: Readonly<Record<string, Shape>>, where: string): void {
  if (!Array.isArray(value)) throw new UsageError(`${where}: "content" must be a list`);
  for (const part of value) {
    const fields = asFields(part, `${where}: content`);
    const kind = String(fields["type"]);
    const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
    if (shape === undefined) throw new UsageError(`${where}: content of unknown type "${kind}"`);
    checkShape(fields, shape, `${where}: ${kind}`);
  }
}

function checkShape(value: unknown, shape: Shape, where: string): Fields {
  const fields = asFields(value, where);
  for (const [name, expected] of Object.entries(shape)) {
    const field = fields[name];
    if (field === undefined && expected.endsWith("?")) continue;
    const kind = expected.replace("?", "");
    const actual = Number.isSafeInteger(field) && kind === "integer" ? kind : typeof field;
    if (actual !== kind) {
      throw new UsageError(`${where}: "${name}" must be of type ${kind}`);
    }
  }
  return fields;
}

function asFields(value: unknown, where: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`${where} must be an object`);
  }
  return value as Fields;
}
