/**
 * Progress of a headless run as plain lines for standard error: one fold over events, pure,
 * so that what people and CI logs see can be tested without a terminal.
 */
import type { AgentEvent, EndReason } from "../../protocol/event.ts";
import type { Usage } from "../../protocol/message.ts";
import { SANDBOX_MODES } from "../../protocol/sandbox.ts";
import { terminalText } from "../../util/terminal_text.ts";
import { summarizeCall, summarizeResult } from "./tool_line.ts";
import type { Style } from "./style.ts";
import { viewLines } from "./view_lines.ts";

export interface ProgressOptions {
  style: Style;
  verbose: boolean;
  /** Names the call of a result that does not follow it. */
  label?: string;
  /** Shows what was changed and planned below its line; `verbose` shows all results. */
  changes?: boolean;
}

/** Results are cut after this many lines of each block. */
const MAX_VIEW_LINES = 40;

/** Lines to print for an event, without line ends. */
export function progressLines(event: AgentEvent, options: ProgressOptions): string[] {
  const { style, verbose } = options;
  switch (event.type) {
    case "session_start":
      return [
        style.dim(
          `${terminalText(`${event.provider}/${event.model}`)} · ${event.tools.length} tools · ` +
            (event.sandbox === undefined ? "" : `${wallWords(event.sandbox)} · `) +
            `${event.resumed ? "resumed " : ""}session ${event.sessionId}`,
        ),
      ];
    case "turn_start":
      return event.by === undefined ? [] : [style.dim(`· turn begun by ${beginner(event.by)}`)];
    case "tool_start":
      return [`${style.cyan(event.sandbox ? "  ↳" : "→")} ${summarizeCall(event)}`];
    case "tool_delta":
      return [style.dim(`  ${terminalText(event.text.trimEnd())}`)];
    case "tool_end":
      return resultLines(event, options);
    case "approval_start":
      return [style.yellow(`! needs approval: ${terminalText(event.request.description)}`)];
    case "approval_end":
      return [style.yellow(`! ${decisionText(event)}`)];
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
    case "usage":
      return verbose ? [style.dim(`· ${usageText(event.usage)}`)] : [];
    case "session_end":
      return [style.dim(`${ENDS[event.reason]} · ${usageText(event.usage)}`)];
    default:
      return [];
  }
}

/** The walls around commands, for the line that a session begins with. */
export function wallWords(name: string): string {
  if (name === "off") return "no sandbox";
  const isMode = (SANDBOX_MODES as readonly string[]).includes(name);
  return terminalText(isMode ? name : `in ${name}`);
}

/** Who begins a turn, in words; `by` may come from anywhere. */
function beginner(by: string): string {
  if (by === "wake") return "background work";
  return terminalText(by.replace(/^plugin:/, "the plugin "));
}

function resultLines(
  event: AgentEvent & { type: "tool_end" },
  { style, verbose, changes, label }: ProgressOptions,
): string[] {
  const mark = event.isError ? style.red("✗") : style.green("✓");
  const took = event.durationMs >= 1000 ? ` (${(event.durationMs / 1000).toFixed(1)} s)` : "";
  const whose = label === undefined ? "" : `${label}: `;
  const indent = event.sandbox ? "    " : "  ";
  const shown = (event.view ?? []).filter(({ kind }) =>
    verbose || (changes === true && (kind === "diff" || kind === "list"))
  );
  return [
    `${indent}${mark} ${whose}${summarizeResult(event)}${took}`,
    ...viewLines(shown, { style, maxLines: MAX_VIEW_LINES }).map((line) => `${indent}  ${line}`),
  ];
}

/** `1 234 in (200 cached), 56 out, $0.0012`. */
export function usageText(usage: Usage): string {
  const cached = usage.cachedInputTokens > 0 ? ` (${usage.cachedInputTokens} cached)` : "";
  const cost = usage.costUsd === undefined ? "" : `, $${usage.costUsd.toFixed(4)}`;
  return `${usage.inputTokens} tokens in${cached}, ${usage.outputTokens} out${cost}`;
}

/** How a run ended, in words. */
const ENDS: Readonly<Record<EndReason, string>> = {
  "done": "done",
  "failed": "failed",
  "needs_approval": "waits for an approval",
  "budget": "stopped at a limit",
  "provider": "the model cannot be used",
  "schema": "the answer does not fit the schema",
  "interrupted": "interrupted",
};

/** Who refuses when no person does. */
const REFUSALS: Readonly<Record<string, string>> = {
  "nobody present": "refused: nobody is here to allow it",
  "timeout": "refused: nobody answered in time",
  "failure": "refused: the question could not be asked",
};

/** How long a yes lasts and for what, by the choice that was made or else by the answer. */
const LASTING: Readonly<Record<string, string>> = {
  session: " for this session",
  always: ", always in this project",
  shape: ", always for this shape of command in this project",
  rule: ", with everything of the rule, in this project",
};

function decisionText({ answer, choice, by }: AgentEvent & { type: "approval_end" }): string {
  if (answer !== "deny") {
    return `allowed by ${terminalText(by)}${LASTING[choice ?? answer] ?? ""}`;
  }
  return REFUSALS[by] ?? `refused by ${terminalText(by)}`;
}
