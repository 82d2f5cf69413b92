/** Asking for permission: what is asked, who may answer, what the answer can be. */

/** `allow` runs, `prompt` needs a person's yes, `forbidden` never runs whatever the mode. */
export type Decision = "allow" | "prompt" | "forbidden";

/** The verdict of the pure rules on one command. */
export interface CommandVerdict {
  decision: Decision;
  /** Stable key of the deciding rule; what allowlists store. Empty when allowed by default. */
  rule: string;
  description: string;
  /** The command as the rules saw it. */
  normalized: string;
}

export interface ApprovalRequest {
  /** Names exactly this action: the same tool, rule, subject, place and directory have the same id. */
  id?: string;
  tool: string;
  /** What would happen: the command, or one line that says the action. */
  subject: string;
  rule: string;
  description: string;
  /** False where `always` may not be offered. */
  allowAlways: boolean;
  /** A yes holds for this one time, whatever is answered. */
  onceOnly?: boolean;
}

export const APPROVAL_ANSWERS = ["once", "session", "always", "deny"] as const;

export type ApprovalAnswer = typeof APPROVAL_ANSWERS[number];

/** `--approve`: what happens to actions that need a yes. */
export type ApprovalPolicy = "never" | "ask" | "smart" | "always";

export interface ApprovalOutcome {
  answer: ApprovalAnswer;
  by: string;
  /** Told to the model when denied. */
  reason?: string;
  /** No person could answer although the policy wanted a question: the run ends with exit code 3. */
  unanswerable?: boolean;
  /** The answer is the default, because no person gave one in time. */
  expired?: boolean;
}

/** How a surface answers. Rejects only when aborted. */
export interface Approver {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalOutcome>;
}

/** The gate dispatch calls before a handler runs. */
export interface ApprovalGate {
  /** Rules on a shell command that is about to run in `environment` (`local`, `docker`, …). */
  checkCommand(
    command: string,
    context: ApprovalContext,
  ): Promise<ApprovalOutcome>;
  /** Any other action that a tool, hook or plugin declares as needing a yes. */
  checkAction(request: ApprovalRequest, context: ApprovalContext): Promise<ApprovalOutcome>;
}

export interface ApprovalContext {
  callId: string;
  tool: string;
  environment: string;
  /** Where the action happens. */
  cwd: string;
  /** The same directory behind its links, where the disk was looked at. */
  realCwd?: string;
  /** Set when input can be sent to the command while it runs. */
  takesInput?: boolean;
  /** What else the id of the action stands for, where its subject does not say all. */
  exact?: string;
  signal: AbortSignal;
  /** Set for sub-agents: never prompts. */
  unattended?: boolean;
  /** Told when a person is really asked, before the answer: dispatch makes `approval_*` events of it. */
  asked?(request: ApprovalRequest): void;
}
