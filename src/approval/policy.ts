/** Which of the settings and flags decides what happens to actions that need a yes. */
import type { ApprovalPolicy } from "../protocol/approval.ts";

/** `approvals.mode`. */
export type ApprovalMode = "manual" | "smart" | "off";

export interface PolicySources {
  mode: ApprovalMode;
  /** `approvals.headless`: the default where no person is at a terminal. */
  headless?: ApprovalPolicy;
  /** `--approve` or `--yolo`. */
  flag?: ApprovalPolicy | undefined;
  /** True where a person sits at the surface. */
  interactive: boolean;
}

/** The command line beats `mode: off`, which beats who is present. */
export function effectivePolicy(sources: PolicySources): ApprovalPolicy {
  if (sources.flag !== undefined) return sources.flag;
  if (sources.mode === "off") return "always";
  if (!sources.interactive) return sources.headless ?? "never";
  return sources.mode === "smart" ? "smart" : "ask";
}
