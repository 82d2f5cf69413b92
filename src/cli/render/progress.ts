/**
 * Progress of a run as plain lines: one fold over events, so that what people and CI logs see can
 * be tested without a terminal. Remembers only which calls are under way.
 */
import type { AgentEvent } from "../../protocol/event.ts";
import type { Usage } from "../../protocol/message.ts";
import { terminalText } from "../../util/terminal_text.ts";
import { summarizeCall, summarizeResult } from "./tool_line.ts";
import type { Style } from "./style.ts";
import { viewLines } from "./view_lines.ts";

export interface ProgressOptions {
  style: Style;
  verbose: boolean;
  /** Shows what was changed and planned below its line; `verbose` shows all results. */
  changes?: boolean;
}

/** Results are cut after this many lines of each block. */
const MAX_CHANGE_LINES = 40;

/** A function from each event to the lines to print for it, without line ends. */
export function createProgress(options: ProgressOptions): (event: AgentEvent) => string[] {
  const calls = new Map<string, string>();
  /** The call whose line was printed last: a result right below it needs no name. */
  let latest: string | undefined;
  return (event) => {
    if (event.type === "tool_start") {
      calls.set(event.callId, summarizeCall(event));
      latest = event.callId;
    }
    if (event.type !== "tool_end") return eventLines(event, options);
    const call = calls.get(event.callId);
    calls.delete(event.callId);
    const whose = latest === event.callId ? undefined : call;
    latest = undefined;
    return resultLines(event, { ...options, whose });
  };
}

function resultLines(
  event: AgentEvent & { type: "tool_end" },
  { style, verbose, changes, whose }: ProgressOptions & { whose: string | undefined },
): string[] {
  const mark = event.isError ? style.red("✗") : style.green("✓");
  const took = event.durationMs >= 1000 ? ` (${(event.durationMs / 1000).toFixed(1)} s)` : "";
  const indent = event.sandbox ? "    " : "  ";
  const name = whose === undefined ? "" : `${whose}: `;
  const shown = (event.view ?? []).filter(({ kind }) =>
    verbose || (changes === true && (kind === "diff" || kind === "list"))
  );
  return [
    `${indent}${mark} ${name}${summarizeResult(event)}${took}`,
    ...viewLines(shown, { style, maxLines: MAX_CHANGE_LINES }).map((line) => `${indent}  ${line}`),
  ];
}

function eventLines(event: AgentEvent, { style, verbose }: ProgressOptions): string[] {
  switch (event.type) {
    case "session_start":
      return [
        style.dim(
          `${terminalText(`${event.provider}/${event.model}`)} · ${event.tools.length} tools · ` +
            `${event.resumed ? "resumed " : ""}session ${event.sessionId}`,
        ),
      ];
    case "tool_start":
      return [`${style.cyan(event.sandbox ? "  ↳" : "→")} ${summarizeCall(event)}`];
    case "tool_delta":
      return [style.dim(`  ${terminalText(event.text.trimEnd())}`)];
    case "approval_start":
      return [style.yellow(`! needs approval: ${terminalText(event.request.description)}`)];
    case "approval_end":
      return [
        style.yellow(
          `! ${event.answer === "deny" ? "refused" : "allowed"} by ${terminalText(event.by)}`,
        ),
      ];
    case "error":
      return [
        style.red(
          event.retryInMs === undefined
            ? `! ${terminalText(event.message)}`
            : `! ${terminalText(event.message)}; trying again in ${
              (event.retryInMs / 1000).toFixed(1)
            } s`,
        ),
      ];
    case "notice":
      return [style.yellow(`! ${terminalText(event.text)}`)];
    case "context_start":
      return [style.dim(`· ${terminalText(event.reason)}`)];
    case "subagent_start":
      return [`${style.cyan("→")} sub-agent: ${terminalText(event.goal)}`];
    case "usage":
      return verbose ? [style.dim(`· ${usageText(event.usage)}`)] : [];
    case "session_end":
      return [style.dim(`${event.reason} · ${usageText(event.usage)}`)];
    default:
      return [];
  }
}

/** `1 234 in (200 cached), 56 out, $0.0012`. */
export function usageText(usage: Usage): string {
  const cached = usage.cachedInputTokens > 0 ? ` (${usage.cachedInputTokens} cached)` : "";
  const cost = usage.costUsd === undefined ? "" : `, $${usage.costUsd.toFixed(4)}`;
  return `${usage.inputTokens} tokens in${cached}, ${usage.outputTokens} out${cost}`;
}
