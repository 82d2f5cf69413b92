/**
 * How much of a result enters the context. What is longer goes to a file the model can
 * page through, and a preview that says so takes its place.
 */
import type { SpillStore } from "../../protocol/services.ts";
import type { ToolFacts } from "../../protocol/tool.ts";

const DEFAULT_RESULT_CHARS = 100_000;
const CHARS_PER_TOKEN = 4;

export interface ResultLimits {
  /** Characters of one result. */
  perResult: number;
  /** Characters of all results of one assistant message. */
  perBatch: number;
  /** Characters of one result of an MCP server. */
  perMcpResult: number;
  preview: number;
}

/** The configured limits, lowered where a model's context window is small. */
export function resultLimits(
  config: (path: string) => unknown,
  contextTokens = Infinity,
): ResultLimits {
  function setting(name: string, fallback: number): number {
    const value = config(`tool_budget.${name}`);
    return typeof value === "number" && value > 0 ? value : fallback;
  }
  const chars = contextTokens * CHARS_PER_TOKEN;
  const perResult = Math.min(
    setting("result_size_chars", DEFAULT_RESULT_CHARS),
    Math.max(8_000, chars * 0.15),
  );
  return {
    perResult,
    perBatch: Math.min(setting("turn_size_chars", 200_000), Math.max(16_000, chars * 0.30)),
    perMcpResult: Math.min(setting("mcp_result_size_chars", 50_000), perResult),
    preview: setting("preview_chars", 1_500),
  };
}

export interface FitOptions {
  facts: ToolFacts;
  callId: string;
  limits: ResultLimits;
  /** Characters the same assistant message has used already. */
  usedChars: number;
  spill: SpillStore;
}

/** `text`, or a preview of it with the path of the whole. Never rejects. */
export async function fitResult(text: string, options: FitOptions): Promise<string> {
  const { limits } = options;
  const rest = Math.max(limits.preview, limits.perBatch - options.usedChars);
  if (text.length <= Math.min(ownLimit(options), rest)) return text;
  const preview = text.slice(0, previewEnd(text, limits.preview));
  const size = `${text.length} characters (${describeBytes(text.length)})`;
  let path: string;
  try {
    path = await options.spill.write(options.callId, text);
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

function ownLimit({ facts, limits }: FitOptions): number {
  if (facts.name.startsWith("mcp_")) return limits.perMcpResult;
  // A tool that asks for more than the default limits itself (read_file has pages).
  const own = facts.maxResultChars ?? limits.perResult;
  return own > DEFAULT_RESULT_CHARS ? own : Math.min(own, limits.perResult);
}

/** Cuts at a line end when one lies in the second half, and never inside a surrogate pair. */
function previewEnd(text: string, limit: number): number {
  const newline = text.lastIndexOf("\n", limit);
  if (newline > limit / 2) return newline;
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}

function describeBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
