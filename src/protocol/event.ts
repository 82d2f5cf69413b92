/**
 * Everything a surface can know: one flat union, plain JSON, printed as it is by
 * `hermes run --json`. The published schema lives in `event_schema.ts` and is checked
 * against these types.
 */
import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts";
import type { AssistantMessage, Usage, UserPart } from "./message.ts";
import type { FailureKind } from "./provider.ts";
import type { Question, QuestionAnswer } from "./question.ts";
import type { ToolDetails } from "./tool_details.ts";
import type { ViewBlock } from "./tool_view.ts";

export interface EventBase {
  /** ISO 8601 instant. */
  ts: string;
  sessionId: string;
  /** Strictly increasing within one process run of a session. */
  seq: number;
}

/** How a run ended; the exit code follows from it. */
export const END_REASONS = [
  "done",
  "failed",
  "needs_approval",
  "budget",
  "provider",
  "schema",
  "interrupted",
] as const;

export type EndReason = typeof END_REASONS[number];

export type EventBody =
  | {
    type: "session_start";
    version: string;
    provider: string;
    model: string;
    cwd: string;
    tools: string[];
    resumed: boolean;
    /** The walls around commands: the sandbox mode, or the environment that is itself the wall. */
    sandbox?: string;
  }
  | { type: "session_end"; reason: EndReason; exitCode: number; detail?: string; usage: Usage }
  /** `by` is absent for input of the person whose terminal it is. */
  | { type: "turn_start"; turn: number; input: UserPart[]; by?: string }
  | {
    type: "turn_end";
    turn: number;
    reason: EndReason;
    text: string;
    iterations: number;
    /** One line about a reason other than `done`. */
    detail?: string;
  }
  | { type: "message_start"; iteration: number }
  | { type: "message_delta"; kind: "text" | "reasoning"; text: string }
  | { type: "message_end"; message: AssistantMessage }
  | {
    type: "tool_start";
    callId: string;
    name: string;
    /** Parsed and coerced arguments, secrets redacted. */
    arguments: unknown;
    /** The call in one line, for people. */
    summary?: string;
    /** True for a call made by a script of `execute_code`; `parentCallId` is that call. */
    sandbox?: boolean;
    parentCallId?: string;
  }
  | { type: "tool_delta"; callId: string; text: string }
  | {
    type: "tool_end";
    callId: string;
    name: string;
    isError: boolean;
    durationMs: number;
    /** The model-visible result. */
    result: string;
    /** What came of it, as data. */
    details?: ToolDetails;
    /** The result in one line, for people. */
    summary?: string;
    /** The result in full, as far as a person wants to see it; not for calls of a script. */
    view?: ViewBlock[];
    sandbox?: boolean;
    parentCallId?: string;
  }
  | { type: "approval_start"; callId: string; request: ApprovalRequest }
  | {
    type: "approval_end";
    callId: string;
    answer: ApprovalAnswer;
    /** The id of the choice that was made, if any. */
    choice?: string;
    /** Who decided: the person, a policy, a remembered answer, the auxiliary model, a timeout. */
    by: string;
  }
  | { type: "question_start"; question: Question }
  | { type: "question_end"; questionId: string; answer: QuestionAnswer; by: string }
  /**
   * Input that waits for its turn; `position` 0 says that it no longer waits: its turn begins, or it
   * is `dropped` because the session ends.
   */
  | { type: "queue"; position: number; input: UserPart[]; by?: string; dropped?: boolean }
  /** What a command printed, or why it failed. */
  | { type: "command_end"; name: string; text: string; isError: boolean }
  /** Later turns use this model. */
  | { type: "model_change"; provider: string; model: string }
  | { type: "context_start"; reason: string; tokens: number }
  | { type: "context_end"; tokens: number }
  | { type: "usage"; usage: Usage; total: Usage; provider: string; model: string }
  | {
    type: "error";
    kind: FailureKind | "tool" | "internal" | "config" | "store";
    message: string;
    fatal: boolean;
    /** Present when the same request is tried again after this wait. */
    retryInMs?: number;
  }
  | { type: "notice"; text: string };

export type AgentEvent = EventBody & EventBase;
export type EventType = EventBody["type"];
