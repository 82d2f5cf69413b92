/**
 * What `pre_tool_call` hooks make of a call: rewritten arguments, a refusal, or a question
 * to a person. Applies their directives; running the hooks is `../hooks/hooks.ts`.
 */
import type { ApprovalRequest } from "../../protocol/approval.ts";
import type { HookDirective, HookRunner } from "../../protocol/hook.ts";
import { isDeeperThan, MAX_ARGUMENT_DEPTH } from "../../util/json_depth.ts";
import { checkArguments } from "./arguments.ts";
import { askGate, type CallState, type ContextParts, pauseDeadlines } from "./context.ts";
import { type Outcome, refusal } from "./outcome.ts";
import { callSummary } from "../tool_view.ts";

export interface AdmissionParts extends ContextParts {
  hooks: HookRunner;
}

/** A hook's demand that a person approves the call first. */
export type ApprovalDirective = HookDirective & { action: "approve" };

/** Runs the hooks and applies their changes to `state.args`; gives what they demand instead of a plain run. */
export async function consultHooks(
  parts: AdmissionParts,
  state: CallState,
): Promise<{ refused?: Outcome | undefined; demands: ApprovalDirective[] }> {
  const demands: ApprovalDirective[] = [];
  if (!parts.hooks.has("pre_tool_call")) return { demands };
  const { signal } = state.deadlines[0];
  const directives = await pauseDeadlines(state, () =>
    parts.hooks.preToolCall({
      sessionId: parts.session.id,
      taskId: parts.session.taskId ?? "main",
      callId: state.id,
      toolName: state.name,
      args: state.args,
      cwd: parts.environment.cwd(parts.session.taskId),
    }, signal));
  let changed = false;
  for (const directive of directives) {
    if (directive.action === "block") {
      return { refused: block(parts, `Blocked by a hook: ${directive.message}`), demands };
    }
    if (directive.action === "approve") demands.push(directive);
    else if (isDeeperThan(directive.args, MAX_ARGUMENT_DEPTH)) {
      // Not taken over even for the report: nothing behind this can work on it.
      const why = `it is nested deeper than ${MAX_ARGUMENT_DEPTH} levels`;
      return { refused: block(parts, `A hook rewrote the call: ${why}`), demands };
    } else {
      state.args = { ...state.args, ...directive.args };
      changed = true;
    }
  }
  return { refused: changed ? recheck(parts, state) : undefined, demands };
}

/** Rewritten arguments pass the same checks as those of the model. */
function recheck(parts: AdmissionParts, state: CallState): Outcome | undefined {
  const checked = checkArguments(state.args, state.facts);
  if (!checked.ok) return block(parts, `A hook rewrote the call: ${checked.error}`);
  state.args = checked.args;
  return undefined;
}

/** A hook may know secrets that the model must not. */
function block(parts: AdmissionParts, error: string): Outcome {
  return refusal(parts.redact(error, "code"), { status: "blocked" });
}

/** Asks for every yes the hooks want; gives the refusal at the first no. */
export async function requestHookApprovals(
  parts: AdmissionParts,
  { state, demands }: { state: CallState; demands: readonly ApprovalDirective[] },
): Promise<Outcome | undefined> {
  for (const demand of demands) {
    const refused = await requestHookApproval(parts, { state, demand });
    if (refused) return refused;
  }
  return undefined;
}

async function requestHookApproval(
  parts: AdmissionParts,
  { state, demand }: { state: CallState; demand: ApprovalDirective },
): Promise<Outcome | undefined> {
  const message = demand.message ?? "a hook wants this call approved";
  const description = parts.redact(message, "code");
  const request: ApprovalRequest = {
    tool: state.name,
    subject: describe(parts, state),
    // Under a prefix, so that a hook can neither use nor widen a yes given to another rule.
    rule: `hook:${demand.rule ?? `${state.name}: ${description}`}`,
    description,
    allowAlways: demand.rule !== undefined,
  };
  const outcome = await askGate({ parts, state }, (context) => {
    return parts.gate.checkAction(request, { ...context, exact: JSON.stringify(state.args) });
  });
  if (outcome.answer !== "deny") return undefined;
  const reason = outcome.reason ?? `${state.name} was not approved (${outcome.by}).`;
  return refusal(reason, { status: "blocked" });
}

function describe(parts: AdmissionParts, state: CallState): string {
  return `${state.name} ${callSummary(parts.registry.get(state.name), state.args)}`.trimEnd();
}
