/** Which policy a session has for what needs a yes, and what its model is told about it. */
import { effectivePolicy } from "../approval/policy.ts";
import type { Settings } from "../config/load.ts";
import type { ApprovalPolicy } from "../protocol/approval.ts";
import type { SessionSpec, SurfacePolicy } from "../protocol/session_spec.ts";

/** Part of the system prompt of a session that plans. */
export const PLAN_NOTE = "Plan mode: change nothing. Look around with what only reads, then end " +
  "with a plan: the steps, the files they change, how to check them.";

const PLAN_IS_OVER = "Plan mode is over: files may be changed again.";

/** The spec beats the settings; who is present decides what they leave open. */
export function policyOf(
  { spec, surface, settings }: {
    spec: Pick<SessionSpec, "approval">;
    surface: Pick<SurfacePolicy, "headless">;
    settings: Settings;
  },
): ApprovalPolicy {
  const { mode, headless } = settings.config.approvals;
  const flag = spec.approval?.policy;
  return effectivePolicy({ mode, headless, flag, interactive: !surface.headless });
}

/** The note to the model when the policy changes while it works; undefined where none is needed. */
export function changeNote(before: ApprovalPolicy, after: ApprovalPolicy): string | undefined {
  if (before === after) return undefined;
  if (after === "plan") return PLAN_NOTE;
  return before === "plan" ? PLAN_IS_OVER : undefined;
}
