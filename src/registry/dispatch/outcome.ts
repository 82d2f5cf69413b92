/**
 * What a call came to, as the text a model reads. Owns the error format: expected refusals
 * keep their words, surprises become one bounded line without markup that could pass for
 * protocol.
 */
import { ToolError } from "../../protocol/error.ts";
import { isToolFailure } from "../../protocol/message.ts";
import type { ToolDetails } from "../../protocol/tool_details.ts";
import { isPart, type ToolImagePart, type ToolPart } from "../../protocol/tool_result.ts";

export type CallStatus = "ok" | "error" | "blocked" | "cancelled" | "timeout";

export interface Outcome {
  text: string;
  status: CallStatus;
  /** True when the handler produced it, false for words of dispatch itself. */
  fromTool: boolean;
  /** What was asked did not happen, or a program ended badly although the tool worked. */
  failed: boolean;
  /** The error in words, where there is one. */
  problem?: string;
  details?: ToolDetails;
  /** Not stored yet. */
  images?: readonly ToolImagePart[];
}

const MAX_ERROR_CHARS = 2048;
const PROTOCOL_TAGS =
  /<\/?(?:tool_call|function_call|result|response|output|input|system|assistant|user)\b[^<>]{0,512}>/gi;

/** A refusal or failure in words of dispatch. */
export function refusal(
  error: string,
  options: { status?: CallStatus; extra?: Record<string, unknown> } = {},
): Outcome {
  const problem = boundError(error);
  return {
    text: JSON.stringify({ error: problem, ...options.extra }),
    status: options.status ?? "error",
    fromTool: false,
    failed: true,
    problem,
  };
}

/** Details of plugins that are longer than this are left out. */
const MAX_DATA_CHARS = 64_000;

/** The result a handler returned. `clean` is applied to every text in it. */
export function resultOutcome(
  value: unknown,
  options: { name: string; clean(text: string): string },
): Outcome {
  const { name, clean } = options;
  const content = isRecord(value) ? contentOf(value.content, clean) : undefined;
  if (!isRecord(value) || content === undefined) {
    const kind = typeName(isRecord(value) ? value.content : value);
    return refusal(`Tool ${name} returned ${kind} instead of a text or an object.`, {
      extra: { "error_type": "tool_result_contract", tool: name, "result_type": kind },
    });
  }
  const failed = value.isError === true;
  const details = boundDetails(redactDeep(value.details, clean) as ToolDetails | undefined);
  return {
    ...content,
    status: isToolFailure(failed, details) ? "error" : "ok",
    fromTool: true,
    failed,
    ...(details === undefined ? {} : { details }),
    ...(failed && content.problem !== undefined ? { problem: content.problem } : {}),
  };
}

type Content = Pick<Outcome, "text" | "problem" | "images">;

/** Undefined for what is neither text, parts nor an object. */
function contentOf(content: unknown, clean: (text: string) => string): Content | undefined {
  if (typeof content === "string") return { text: clean(content) };
  if (Array.isArray(content)) {
    if (!content.every(isPart)) return undefined;
    const parts: readonly ToolPart[] = content;
    const text = parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n");
    return { text: clean(text), images: parts.filter((part) => part.type === "image") };
  }
  if (!isRecord(content)) return undefined;
  if (typeof content.error !== "string" || content.error === "") {
    return { text: JSON.stringify(redactDeep(content, clean)) };
  }
  const error = clean(boundError(content.error));
  return { text: JSON.stringify(redactDeep({ ...content, error }, clean)), problem: error };
}

function boundDetails(details: ToolDetails | undefined): ToolDetails | undefined {
  if (details?.kind !== "data") return details;
  return JSON.stringify(details).length <= MAX_DATA_CHARS ? details : undefined;
}

function typeName(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

/** What a handler threw. */
export function errorOutcome(error: unknown, clean: (text: string) => string): Outcome {
  if (error instanceof ToolError) {
    const problem = boundError(error.message);
    const text = JSON.stringify(redactDeep({ error: problem, ...error.extra }, clean));
    return { text, status: "error", fromTool: true, failed: true, problem: clean(problem) };
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = scrubError(clean(`Tool execution failed: ${words}`));
  return {
    text: JSON.stringify({ error: line }),
    status: "error",
    fromTool: true,
    failed: true,
    problem: line,
  };
}

/** The text with notes of hermes in it: as a key of a JSON object, which stays one, else below it. */
export function withNotes(text: string, notes: readonly string[]): string {
  if (notes.length === 0) return text;
  if (!isJsonObject(text)) return [text, ...notes].join("\n\n");
  const head = text.slice(0, -1);
  return `${head}${head === "{" ? "" : ","}"_guardrail":${JSON.stringify(notes.join(" "))}}`;
}

function isJsonObject(text: string): boolean {
  if (!text.startsWith("{") || !text.endsWith("}")) return false;
  try {
    return isRecord(JSON.parse(text));
  } catch {
    // A text that only looks like one.
    return false;
  }
}

/** A copy of plain data with `clean` applied to every text in it. */
export function redactDeep(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, clean));
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) {
    const item = copy[key];
    if (typeof item === "string" || typeof item === "object") copy[key] = redactDeep(item, clean);
  }
  return copy;
}

/** Removes what could be read as chat or tool-call markup, bounds the length, marks it as an error. */
function scrubError(text: string): string {
  // Only so much can be shown; a longer text would only take time.
  const plain = text.slice(0, MAX_ERROR_CHARS * 4).replace(PROTOCOL_TAGS, "")
    .replace(/^[^\S\n]*```(?:json|xml|html|markdown)?[^\S\n]*\n?/gm, "")
    .replace(/```\s*$/gm, "")
    .replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, "");
  const bounded = plain.length > MAX_ERROR_CHARS
    ? `${plain.slice(0, MAX_ERROR_CHARS - 3)}...`
    : plain;
  return `[TOOL_ERROR] ${bounded}`;
}

function boundError(text: string): string {
  return text.length > MAX_ERROR_CHARS ? `${text.slice(0, MAX_ERROR_CHARS)}… [truncated]` : text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
