/**
 * Approvals and clarifying questions as questions of the session: asked in its event stream,
 * answered by an operation. Owns how an answer is read; who is asked at all is the surface's policy.
 */
import type { Approver } from "../protocol/approval.ts";
import type { Answered } from "../protocol/question.ts";
import type { Clarifier } from "../protocol/services.ts";
import type { Questions } from "./questions.ts";

export interface AskOptions {
  questions(): Questions;
  /** Milliseconds until silence is the answer; absent waits for ever. */
  expiresMs?: number;
}

/** Asks whoever listens to the session; silence is a no. */
export function questionApprover({ questions, expiresMs }: AskOptions): Approver {
  const limit = expiresMs === undefined ? {} : { expiresMs };
  return {
    async ask(request, signal) {
      await eventsAreOut();
      const { answer, by }: Answered = await questions().ask({ kind: "approval", request }, {
        fallback: { kind: "approval", answer: "deny" },
        signal,
        ...limit,
      });
      if (answer.kind !== "approval") return { answer: "deny", by };
      const { reason, choice } = answer;
      return {
        answer: answer.answer,
        by,
        ...(choice === undefined ? {} : { choice }),
        ...(reason === undefined ? {} : { reason }),
        ...(by === "timeout" ? { expired: true } : {}),
      };
    },
  };
}

/** Asks whoever listens to the session; silence is told apart from a person who declines. */
export function questionClarifier({ questions, expiresMs }: AskOptions): Clarifier {
  const limit = expiresMs === undefined ? {} : { expiresMs };
  return {
    async ask(asked, signal) {
      await eventsAreOut();
      const { answer, by } = await questions().ask({ kind: "clarify", questions: asked }, {
        fallback: { kind: "clarify" },
        signal,
        ...limit,
      });
      if (by === "timeout") return "expired";
      return answer.kind === "clarify" ? answer.answers : undefined;
    },
  };
}

/**
 * The events of the call that asks are still on their way through the loop. Listeners see them
 * before the question.
 */
async function eventsAreOut(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}
