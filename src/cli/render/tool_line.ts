/** A tool call and its result in one line each, for people. Control characters never reach the terminal. */
import type { AgentEvent } from "../../protocol/event.ts";
import { terminalText } from "../../util/terminal_text.ts";

const MAX_CHARS = 120;
const MAX_TEXT_CHARS = 4000;

/** `terminal ls -la`, `read_file src/a.ts`. */
export function summarizeCall({ name, summary = "" }: AgentEvent & { type: "tool_start" }): string {
  return oneLine(`${name} ${summary}`);
}

/** `exit 0 · 3 lines`, `error: no such file`. */
export function summarizeResult(event: AgentEvent & { type: "tool_end" }): string {
  return oneLine(event.summary ?? event.result) || oneLine(event.name);
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
