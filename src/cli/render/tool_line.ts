/** A tool call and its result in one line each, for people. Control characters never reach the terminal. */
import type { AgentEvent } from "../../protocol/event.ts";
import { terminalText } from "../../util/terminal_text.ts";

const MAX_CHARS = 120;
const MAX_TEXT_CHARS = 4000;
/** Arguments that say best what a call is about, in order. */
const TELLING = [
  "command",
  "pattern",
  "path",
  "query",
  "url",
  "question",
  "action",
  "goal",
  "code",
];

/** `terminal ls -la`, `read_file src/a.ts`. */
export function summarizeCall(event: AgentEvent & { type: "tool_start" }): string {
  const args = event.arguments;
  const name = oneLine(event.name);
  if (typeof args !== "object" || args === null) return name;
  const record = args as Record<string, unknown>;
  const key = TELLING.find((name) => record[name] !== undefined);
  const value = key === undefined ? record : record[key];
  return `${name} ${oneLine(typeof value === "string" ? value : JSON.stringify(value))}`;
}

/** Counts that results carry, and how to say them. */
const COUNTS: readonly (readonly [string, string])[] = [
  ["total_lines", "lines"],
  ["total_count", "found"],
  ["bytes_written", "bytes"],
  ["tool_calls_made", "calls"],
];

/** `exit 0 · 3 lines`, `error: no such file`. */
export function summarizeResult(event: AgentEvent & { type: "tool_end" }): string {
  const result = parseObject(event.result);
  if (result === undefined) return oneLine(event.result);
  const parts: string[] = [];
  if (typeof result.error === "string" && result.error !== "") parts.push(`error: ${result.error}`);
  if (typeof result.exit_code === "number") parts.push(`exit ${result.exit_code}`);
  for (const [key, unit] of COUNTS) {
    if (typeof result[key] === "number") parts.push(`${result[key]} ${unit}`);
  }
  if (typeof result.diff === "string") parts.push(diffStat(result.diff));
  if (typeof result.output === "string" && result.output !== "" && parts.length < 2) {
    parts.push(firstLine(result.output));
  }
  return oneLine(parts.join(" · ") || event.name);
}

/** True when a call ended badly for the person: an error, or a command that failed. */
export function isFailure(event: AgentEvent & { type: "tool_end" }): boolean {
  const code = parseObject(event.result)?.exit_code;
  return event.isError || (typeof code === "number" && code !== 0);
}

/** Text on one line, bounded, without control characters. */
export function oneLine(text: string): string {
  const clean = terminalText(text.slice(0, MAX_CHARS * 4).replaceAll(/\s+/g, " ")).trim();
  return clean.length > MAX_CHARS ? `${clean.slice(0, MAX_CHARS - 1)}…` : clean;
}

/** Text as it is, but for characters that move the cursor or change the order of others. */
export function visibleText(text: string): string {
  return terminalText(text).replaceAll("\t", "  ");
}

/** The same, bounded. */
export function plainText(text: string): string {
  const clean = visibleText(text);
  if (clean.length <= MAX_TEXT_CHARS) return clean;
  return `${clean.slice(0, MAX_TEXT_CHARS)}… (${clean.length - MAX_TEXT_CHARS} more characters)`;
}

/** `+3 −1` of a unified diff. */
function diffStat(diff: string): string {
  const lines = diff.split("\n").filter((line) => !/^(\+\+\+|---) /.test(line));
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  return `+${added} −${removed}`;
}

function firstLine(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.length === 1 ? lines[0]! : `${lines[0]} (+${lines.length - 1} lines)`;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    // Not every tool answers in JSON.
    return undefined;
  }
}
