/**
 * What a call came to, as the text a model reads. Owns the error format: expected refusals
 * keep their words, surprises become one bounded line without markup that could pass for
 * protocol.
 */
import { ToolError } from "../protocol/error.ts";

export type CallStatus = "ok" | "error" | "blocked" | "cancelled" | "timeout";

export interface Outcome {
  text: string;
  status: CallStatus;
  /** True when the handler produced it, false for words of dispatch itself. */
  fromTool: boolean;
  /** The command or action did not do what was wanted, although the tool worked. */
  failed: boolean;
}

const MAX_ERROR_CHARS = 2048;
const PROTOCOL_TAGS =
  /<\/?(?:tool_call|function_call|result|response|output|input|system|assistant|user)\b[^<>]{0,512}>/gi;

/** A refusal or failure in words of dispatch. */
export function refusal(
  error: string,
  options: { status?: CallStatus; extra?: Record<string, unknown> } = {},
): Outcome {
  return {
    text: JSON.stringify({ error: boundError(error), ...options.extra }),
    status: options.status ?? "error",
    fromTool: false,
    failed: true,
  };
}

/** The value a handler returned. `clean` is applied to every text in it. */
export function resultOutcome(
  value: unknown,
  options: { name: string; clean(text: string): string },
): Outcome {
  const { name, clean } = options;
  if (typeof value === "string") {
    const failed = /^(?:\{"error"|Error:)/.test(value);
    return { text: clean(value), status: failed ? "error" : "ok", fromTool: true, failed };
  }
  if (!isRecord(value)) {
    const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    return refusal(`Tool ${name} returned ${kind} instead of a text or an object.`, {
      extra: { "error_type": "tool_result_contract", tool: name, "result_type": kind },
    });
  }
  const failure = typeof value.error === "string" && value.error !== "" ? value.error : undefined;
  const body = failure === undefined ? value : { ...value, error: boundError(failure) };
  const text = JSON.stringify(redactDeep(body, clean));
  const exited = typeof value.exit_code === "number" && value.exit_code !== 0;
  return {
    text,
    status: failure === undefined ? "ok" : "error",
    fromTool: true,
    failed: failure !== undefined || exited,
  };
}

/** What a handler threw. */
export function errorOutcome(error: unknown, clean: (text: string) => string): Outcome {
  if (error instanceof ToolError) {
    const body = { error: boundError(error.message), ...error.extra };
    const text = JSON.stringify(redactDeep(body, clean));
    return { text, status: "error", fromTool: true, failed: true };
  }
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = scrubError(clean(`Tool execution failed: ${words}`));
  return { text: JSON.stringify({ error: line }), status: "error", fromTool: true, failed: true };
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
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redactDeep(item, clean)]),
  );
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
