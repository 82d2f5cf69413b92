/** Asking for permission: what is asked, who may answer, what the answer can be. */
import type { GrantOffer, WallGrantKind } from "./grant.ts";

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
  /** Every answer that is offered, in order: the gate adds them, and surfaces show these words. */
  choices?: ApprovalChoice[];
}

export const APPROVAL_ANSWERS = ["once", "session", "always", "deny"] as const;

export type ApprovalAnswer = typeof APPROVAL_ANSWERS[number];

/** An offered answer. An answer without the id of a choice means the choice named like it. */
export interface ApprovalChoice {
  /** `once`, `session`, `always`, `shape`, `rule`, `deny`. */
  id: string;
  /** The answer that this choice is to a surface that knows no choices. */
  answer: ApprovalAnswer;
  /** Says exactly what the choice allows, and for how long. */
  text: string;
  /** The grants that are kept; empty for a yes to this one action and for a no. */
  grants: GrantOffer[];
}

/**
 * `--approve`: what happens to actions that need a yes. Under `ask-all` every command and every
 * write needs a yes; under `plan` nothing is changed at all.
 */
export const APPROVAL_POLICIES = ["never", "ask", "smart", "always", "ask-all", "plan"] as const;

export type ApprovalPolicy = typeof APPROVAL_POLICIES[number];

export interface ApprovalOutcome {
  answer: ApprovalAnswer;
  /** The id of the choice that was made, where the answer named it. */
  choice?: string;
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
  /** An action that the walls stop. No policy says yes to it: a person does, or a stored grant. */
  checkGrant(wanted: WantedGrant, context: ApprovalContext): Promise<ApprovalOutcome>;
  /** True where every call is judged by the effects that its tool declares: `ask-all`, `plan`. */
  readonly judgesEffects?: boolean;
  /** A call by what its tool may do; asked only where `judgesEffects` is true. */
  checkEffects?(call: EffectfulCall, context: ApprovalContext): Promise<ApprovalOutcome>;
}

/** A wanted way through the walls. Paths are absolute and real. */
export interface WantedGrant {
  kind: WallGrantKind;
  /** The path, the host, or the whole command. */
  value: string;
  /** Why the grant is wanted, in the words of the caller. */
  reason: string;
}

/** A call as `ask-all` and `plan` see it. */
export interface EffectfulCall {
  /** The call in one line. */
  subject: string;
  /** The effects that the tool declares; undefined when the tool does not say what it does. */
  effects: readonly string[] | undefined;
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
  /** Set when the command is going to run outside the walls. */
  outside?: boolean;
  /** What else the id of the action stands for, where its subject does not say all. */
  exact?: string;
  signal: AbortSignal;
  /** Set for sub-agents: never prompts. */
  unattended?: boolean;
  /** Told when a person is really asked, before the answer: dispatch makes `approval_*` events of it. */
  asked?(request: ApprovalRequest): void;
}
