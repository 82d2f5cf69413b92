/** What is said when a run ended other than well: why, and the command that goes on from there. */
import type { ApprovalRequest } from "../../../protocol/approval.ts";
import type { AgentEvent } from "../../../protocol/event.ts";
import { shellJoin } from "../../../util/shell_quote.ts";
import { oneLine, plainText } from "../../render/tool_line.ts";
import type { SessionChoices } from "./options.ts";

/**
 * The command that goes on with a session: the same profile, model, environment and walls, and no
 * tool that the session did not have. A waiting action was meant to run there and with those.
 */
export function resumeCommand(
  choices: SessionChoices,
  words: { command: readonly string[]; id: string; more?: readonly string[] },
): string {
  const { profile, spec: { model, environment, sandbox, network, toolsets } } = choices;
  const same: [flag: string, value: string | undefined][] = [
    ["--profile", profile],
    ["--base-url", model?.baseUrl],
    ["--provider", model?.provider],
    ["--model", model?.name],
    ["--env", environment],
    ["--sandbox", sandbox],
    ["--network", network],
    ["--toolsets", toolsets?.enabled?.join(",")],
    ["--disable-toolsets", toolsets?.disabled?.join(",")],
  ];
  const flags = same.flatMap(([flag, value]) => value === undefined ? [] : [flag, value]);
  return shellJoin([...words.command, "--resume", words.id, ...flags, ...words.more ?? []]);
}

/** How a turn ended, and the action it waits for where that is why. */
export type RunEnd = Pick<AgentEvent & { type: "turn_end" }, "reason" | "text" | "detail"> & {
  waitsFor?: ApprovalRequest;
};

/** The lines for a result that is not `done`. `id` is absent when nothing was kept. */
export function describeEnd(
  end: RunEnd,
  { choices, id }: { choices: SessionChoices; id: string | undefined },
): string {
  const goOn = (what: string, ...more: string[]) =>
    id === undefined
      ? ""
      : `  ${what}: ${resumeCommand(choices, { command: ["hermes", "run"], id, more })}\n`;
  switch (end.reason) {
    case "done":
      return "";
    case "failed":
      return `hermes: the agent gave up: ${end.detail}\n`;
    case "needs_approval": {
      // Under another policy the action would have another id, or none.
      const policy = choices.spec.approval?.policy === "ask-all" ? "ask-all" : "ask";
      return describeApproval(end, { goOn, policy });
    }
    case "interrupted":
      return `hermes: interrupted\n${goOn("Go on with", "go on")}`;
    case "budget":
      return `hermes: ${end.detail}\n${goOn("Go on with", "go on")}`;
    case "provider":
    case "schema":
      return `hermes: ${end.detail}\n`;
  }
}

/** Which action waits, why, and how to allow it alone or with everything after it. */
function describeApproval(
  { waitsFor }: RunEnd,
  { goOn, policy }: { goOn: (what: string, ...more: string[]) => string; policy: string },
): string {
  const first = "hermes: an action needs approval and nobody could give it\n";
  const all = goOn("Allow everything", "--approve", "always");
  if (waitsFor === undefined) return first + all;
  const { tool, subject, description, rule, id } = waitsFor;
  return first +
    // All of it: the id that is offered below stands for what a cut line would hide, too.
    `  ${tool}: ${plainText(subject).replaceAll("\n", "\n    ")}\n` +
    `  Rule: ${oneLine(rule)}${description === rule ? "" : ` (${oneLine(description)})`}\n` +
    (id === undefined
      ? ""
      : goOn("Allow this one action", "--approve", policy, "--approve-once", id)) +
    all;
}

/** What a run without questions did not do, and how to allow it; empty when it did everything. */
export function describeRefused(refused: readonly ApprovalRequest[]): string {
  const [first] = refused;
  if (first === undefined) return "";
  const others = new Set(refused.map(({ subject }) => subject)).size - 1;
  const more = others === 0 ? "" : ` and ${others} more`;
  // A command is less than all that its rule is about.
  const isShort = first.tool === "terminal" && /^[^\n]{1,120}$/.test(first.subject);
  const what = isShort ? first.subject : first.rule;
  const label = isShort ? "Allow it for good" : "Allow everything of its rule for good";
  const lasting = first.allowAlways
    ? `  ${label}: ${shellJoin(["hermes", "approvals", "allow", what])}\n`
    : "";
  return `hermes: refused, because nobody was asked: ${oneLine(first.subject)} ` +
    `(${oneLine(first.rule)})${more}\n${lasting}` +
    "  Or run again with --approve ask at a terminal, --approve smart, or --approve always\n";
}
