/**
 * How much of a result enters the context. What is longer goes to a file the model can
 * page through, and a preview that says so takes its place.
 */
import type { SpillStore } from "../protocol/services.ts";
import type { ToolFacts } from "../protocol/tool.ts";

const DEFAULT_RESULT_CHARS = 100_000;
const DEFAULT_BATCH_CHARS = 200_000;
const DEFAULT_MCP_CHARS = 50_000;
const PREVIEW_CHARS = 1_500;
const CHARS_PER_TOKEN = 4;

export interface ResultLimits {
  /** Characters of one result. */
  perResult: number;
  /** Characters of all results of one assistant message. */
  perBatch: number;
}

/** Limits that fit a model's context window; the defaults when it is unknown. */
export function resultLimits(contextTokens?: number): ResultLimits {
  if (contextTokens === undefined) {
    return { perResult: DEFAULT_RESULT_CHARS, perBatch: DEFAULT_BATCH_CHARS };
  }
  const chars = contextTokens * CHARS_PER_TOKEN;
  return {
    perResult: clamp(chars * 0.15, 8_000, DEFAULT_RESULT_CHARS),
    perBatch: clamp(chars * 0.30, 16_000, DEFAULT_BATCH_CHARS),
  };
}

export interface FitOptions {
  facts: ToolFacts;
  callId: string;
  limits: ResultLimits;
  /** Characters the same assistant message has used already. */
  usedChars: number;
  mcpChars: unknown;
  spill: SpillStore;
}

/** `text`, or a preview of it with the path of the whole. Never rejects. */
export async function fitResult(text: string, options: FitOptions): Promise<string> {
  const own = ownLimit(options);
  const rest = Math.max(PREVIEW_CHARS, options.limits.perBatch - options.usedChars);
  if (text.length <= Math.min(own, rest)) return text;
  const preview = text.slice(0, previewEnd(text));
  const size = `${text.length} characters (${describeBytes(text.length)})`;
  let path: string;
  try {
    path = await options.spill.write(`${options.callId}.txt`, text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `${preview}\n\n[Truncated: the result had ${size} and could not be saved: ${why}. ` +
      "Ask for less at a time.]";
  }
  return [
    "<persisted-output>",
    `The result is too long: ${size}.`,
    `Full output saved to: ${path}`,
    "Read it in pieces with read_file (offset, limit) or search it with search_files.",
    "",
    `Preview (first ${preview.length} characters):`,
    preview,
    "...",
    "</persisted-output>",
  ].join("\n");
}

function ownLimit({ facts, limits, mcpChars }: FitOptions): number {
  if (facts.maxResultChars === Infinity) return Infinity;
  const declared = facts.name.startsWith("mcp_")
    ? typeof mcpChars === "number" ? mcpChars : DEFAULT_MCP_CHARS
    : facts.maxResultChars ?? limits.perResult;
  return Math.min(declared, limits.perResult);
}

/** Cuts at a line end when one lies in the second half, and never inside a surrogate pair. */
function previewEnd(text: string): number {
  const newline = text.lastIndexOf("\n", PREVIEW_CHARS);
  if (newline > PREVIEW_CHARS / 2) return newline;
  const last = text.charCodeAt(PREVIEW_CHARS - 1);
  return last >= 0xd800 && last <= 0xdbff ? PREVIEW_CHARS - 1 : PREVIEW_CHARS;
}

function describeBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.round(Math.min(high, Math.max(low, value)));
}
