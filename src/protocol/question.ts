/**
 * Questions of a session to whoever may answer: one mechanism for approvals, clarifying questions
 * and confirmations. A question has an id, may expire, and is answered by an operation from any
 * surface; the first answer counts.
 */
import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts";
import type { ClarifyQuestion } from "./services.ts";

export type QuestionBody =
  | { kind: "approval"; request: ApprovalRequest }
  | { kind: "clarify"; questions: ClarifyQuestion[] }
  | { kind: "confirm"; text: string };

export type QuestionAnswer =
  /** `choice` names one of `request.choices`; without it, the choice of the answer's own name. */
  | { kind: "approval"; answer: ApprovalAnswer; choice?: string; reason?: string }
  /** Chosen or typed texts for each question; absent when the person declines. */
  | { kind: "clarify"; answers?: string[][] }
  | { kind: "confirm"; yes: boolean };

export type Question = QuestionBody & {
  id: string;
  /** ISO 8601 instant after which `fallback` is the answer; absent when it waits for ever. */
  expiresAt?: string;
  /** The answer when no person answers. */
  fallback: QuestionAnswer;
};

/** An answer, and who gave it: a person at a surface, the clock, an interrupt. */
export interface Answered {
  answer: QuestionAnswer;
  by: string;
}
