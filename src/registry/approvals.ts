/**
 * The approvals that a tool declares: evaluated before its handler, asked one by one. Nothing
 * else asks on behalf of a tool, so that no handler can forget to.
 */
import type { ApprovalOutcome } from "../protocol/approval.ts";
import type { ApprovalAsk, Approved, ToolContext, ToolSpec } from "../protocol/tool.ts";
import { errorResult, type ToolResult } from "../protocol/tool_result.ts";
import { callSummary } from "./tool_view.ts";
import { askGate, type CallState, type ContextParts } from "./dispatch/context.ts";

export interface ApprovalCall {
  parts: ContextParts;
  state: CallState;
  context: ToolContext;
}

/** What the handler may act on, or the result that takes its place. */
export type ApprovalResult =
  | { kind: "approved"; approved: Approved<unknown> }
  | { kind: "ended"; result: ToolResult };

/** Evaluates `spec.approval` and asks for every yes it names. */
export async function requestApprovals(
  spec: Pick<ToolSpec, "approval">,
  { parts, state, context }: ApprovalCall,
): Promise<ApprovalResult> {
  const refused = parts.gate.judgesEffects ? await judgeEffects({ parts, state }) : undefined;
  if (refused !== undefined) return { kind: "ended", result: refused };
  if (spec.approval === undefined) {
    return { kind: "approved", approved: { plan: undefined, outcomes: [] } };
  }
  const needed = await spec.approval(state.args, context);
  if ("result" in needed) return { kind: "ended", result: needed.result };
  const outcomes: ApprovalOutcome[] = [];
  for (const ask of needed.asks) {
    const outcome = await askGate(
      { parts, state },
      (where) => {
        if ("grant" in ask) return parts.gate.checkGrant(ask.grant, where);
        return "command" in ask
          ? parts.gate.checkCommand(ask.command, { ...where, ...ask.place })
          : parts.gate.checkAction({ ...ask.action, tool: state.name }, where);
      },
    );
    if (outcome.answer === "deny") return { kind: "ended", result: denied(ask, outcome) };
    outcomes.push(outcome);
  }
  return { kind: "approved", approved: { plan: needed.plan, outcomes } };
}

/** The no of `ask-all` or `plan` to a call by what its tool may do; undefined after a yes. */
async function judgeEffects(
  { parts, state }: Pick<ApprovalCall, "parts" | "state">,
): Promise<ToolResult | undefined> {
  const { name, facts: { effects } } = state;
  const subject = `${name} ${callSummary(parts.registry.get(name), state.args)}`.trimEnd();
  const outcome = await askGate({ parts, state }, async (where) => {
    const exact = JSON.stringify(state.args);
    const answer = parts.gate.checkEffects?.({ subject, effects }, { ...where, exact });
    return await answer ?? { answer: "deny", by: "failure" };
  });
  if (outcome.answer !== "deny") return undefined;
  return errorResult(outcome.reason ?? `${name} was not approved (${outcome.by}).`);
}

/** What the model reads after a no. */
export function denied(ask: ApprovalAsk, outcome: ApprovalOutcome): ToolResult {
  return ask.denied?.(outcome) ??
    errorResult(outcome.reason ?? "Denied. Do not try it again in another form.");
}
