/** Which of the settings and flags decides what happens to actions that need a yes. */
import type { ApprovalPolicy } from "../protocol/approval.ts";

/** `approvals.mode`. */
export type ApprovalMode = "manual" | "smart" | "off" | "ask-all" | "plan";

export interface PolicySources {
  mode: ApprovalMode;
  /** `approvals.headless`: the default where no person is at a terminal. */
  headless?: ApprovalPolicy;
  /** `--approve` or `--yolo`. */
  flag?: ApprovalPolicy | undefined;
  /** True where a person sits at the surface. */
  interactive: boolean;
}

/**
 * The command line beats `approvals.mode`. `off` and the strict modes hold also without a
 * person; otherwise `approvals.headless` decides where no person is.
 */
export function effectivePolicy(sources: PolicySources): ApprovalPolicy {
  const { flag, mode, headless, interactive } = sources;
  if (flag !== undefined) return flag;
  if (mode === "off") return "always";
  if (mode === "ask-all" || mode === "plan") return mode;
  if (!interactive) return headless ?? "never";
  return mode === "smart" ? "smart" : "ask";
}

/** The walls that a policy needs, whatever the settings say; undefined leaves them as they are. */
export function sandboxOf(policy: ApprovalPolicy): "read-only" | undefined {
  return policy === "plan" ? "read-only" : undefined;
}
