/** Which of the configured and given wishes decides what happens to actions that need a yes. */
import type { ApprovalPolicy } from "../protocol/approval.ts";

/** `approvals.mode`. */
export type ApprovalMode = "manual" | "smart" | "off";

export interface PolicyWishes {
  mode: ApprovalMode;
  /** `approvals.headless`: the default where nobody is at a terminal. */
  headless?: ApprovalPolicy;
  /** `--approve` or `--yolo`. */
  flag?: ApprovalPolicy | undefined;
  /** True where a person sits at the surface. */
  interactive: boolean;
}

/** The command line beats `mode: off`, which beats who is present. */
export function effectivePolicy(wishes: PolicyWishes): ApprovalPolicy {
  if (wishes.flag !== undefined) return wishes.flag;
  if (wishes.mode === "off") return "always";
  if (!wishes.interactive) return wishes.headless ?? "never";
  return wishes.mode === "smart" ? "smart" : "ask";
}
