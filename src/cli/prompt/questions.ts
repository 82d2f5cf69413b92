/**
 * Questions of a session at a terminal: one at a time, answered by an operation. A question that
 * another surface answers meanwhile leaves the screen.
 */
import type { AgentEvent } from "../../protocol/event.ts";
import type { Operation } from "../../protocol/operation.ts";
import type { Question, QuestionAnswer } from "../../protocol/question.ts";
import { askApproval, askClarify, askConfirm } from "./ask.ts";
import type { TerminalInput } from "./terminal_input.ts";

/** Whose answers these are. */
const PERSON = "you";

export interface TerminalQuestionsOptions {
  /** Opened with the first question. */
  terminal(): Promise<TerminalInput> | TerminalInput;
  submit(operation: Operation): void;
}

export class TerminalQuestions {
  readonly #options: TerminalQuestionsOptions;
  readonly #open = new Map<string, AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: TerminalQuestionsOptions) {
    this.#options = options;
  }

  follow(event: AgentEvent): void {
    if (event.type === "question_start") this.#start(event.question);
    if (event.type === "question_end") this.#open.get(event.questionId)?.abort();
  }

  #start(question: Question): void {
    const asked = new AbortController();
    this.#open.set(question.id, asked);
    this.#last = this.#last.then(async () => {
      const terminal = await this.#options.terminal();
      const answer = await ask(question, { terminal, signal: asked.signal });
      this.#open.delete(question.id);
      // Ctrl-C is no answer: it ends the turn, and the question with it.
      if (answer === undefined || asked.signal.aborted) return;
      this.#options.submit({ op: "answer", questionId: question.id, answer, by: PERSON });
    });
  }
}

/** The answer; undefined when the question was left by Ctrl-C or taken back. */
async function ask(
  question: Question,
  place: { terminal: TerminalInput; signal: AbortSignal },
): Promise<QuestionAnswer | undefined> {
  if (place.signal.aborted) return undefined;
  switch (question.kind) {
    case "approval":
      return await askApproval(question.request, place);
    case "clarify": {
      const answers = await askClarify(question.questions, place);
      return answers && { kind: "clarify", answers };
    }
    case "confirm": {
      const yes = await askConfirm(question.text, place);
      return yes === undefined ? undefined : { kind: "confirm", yes };
    }
  }
}
