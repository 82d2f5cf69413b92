/**
 * The open questions of one session. Asks, waits for the first answer, the question's own end or
 * an interrupt, and tells the event stream of both. Owns no surface: answers come as operations.
 */
import { APPROVAL_ANSWERS } from "../protocol/approval.ts";
import type { EventBody } from "../protocol/event.ts";
import type { Answered, Question, QuestionAnswer, QuestionBody } from "../protocol/question.ts";

export interface QuestionsOptions {
  emit(event: EventBody): void;
  now(): Date;
  /** Calls `ring` after `ms`; returns what cancels that. */
  timer(ms: number, ring: () => void): () => void;
}

interface Open {
  question: Question;
  /** Ends the question; only the first call counts. */
  settle(answered: Answered): void;
}

export interface AskOptions {
  fallback: QuestionAnswer;
  signal: AbortSignal;
  /** Milliseconds until `fallback` is the answer; absent waits for ever. */
  expiresMs?: number;
}

export class Questions {
  readonly #options: QuestionsOptions;
  readonly #open = new Map<string, Open>();
  #count = 0;
  /** Part of every id, so that an answer from before a restart meets no question of today. */
  #stamp: string | undefined;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** What waits for an answer, oldest first. */
  list(): Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  /** Asks and resolves to the first answer. Never rejects: an abort is answered by the fallback. */
  async ask(body: QuestionBody, { fallback, signal, expiresMs }: AskOptions): Promise<Answered> {
    if (signal.aborted) return { answer: fallback, by: "interrupt" };
    const { emit, now, timer } = this.#options;
    this.#stamp ??= now().getTime().toString(36);
    const id = `q${++this.#count}-${this.#stamp}`;
    const expiresAt = expiresMs === undefined
      ? {}
      : { expiresAt: new Date(now().getTime() + expiresMs).toISOString() };
    const question: Question = { ...body, id, fallback, ...expiresAt };
    const answered = Promise.withResolvers<Answered>();
    // Out of the list and told at once: of two answers in one tick the first counts, and what a
    // snapshot lists as open is what the events say.
    const settle = ({ answer, by }: Answered) => {
      if (!this.#open.delete(id)) return;
      emit({ type: "question_end", questionId: id, answer, by });
      answered.resolve({ answer, by });
    };
    this.#open.set(id, { question, settle });
    emit({ type: "question_start", question });
    const interrupted = () => settle({ answer: fallback, by: "interrupt" });
    signal.addEventListener("abort", interrupted, { once: true });
    const cancel = expiresMs === undefined
      ? undefined
      : timer(expiresMs, () => settle({ answer: fallback, by: "timeout" }));
    try {
      return await answered.promise;
    } finally {
      cancel?.();
      signal.removeEventListener("abort", interrupted);
    }
  }

  /** Gives an answer; a line that says why not when it does not count. */
  answer(id: string, answer: QuestionAnswer, by: string): string | undefined {
    const open = this.#open.get(id);
    if (open === undefined) {
      return this.#wasAsked(id) ? `${id} is answered already` : `there is no question ${id}`;
    }
    const problem = answerProblem(open.question, answer);
    if (problem !== undefined) return problem;
    open.settle({ answer, by });
    return undefined;
  }

  #wasAsked(id: string): boolean {
    const [, number, stamp] = /^q([1-9]\d{0,9})-([0-9a-z]{1,12})$/.exec(id) ?? [];
    return number !== undefined && stamp === this.#stamp && Number(number) <= this.#count;
  }
}

/**
 * What is wrong with an answer to a question; undefined when it can be taken. Answers come from
 * outside: one that was not offered, or is no answer at all, must not count.
 */
function answerProblem(question: Question, answer: QuestionAnswer): string | undefined {
  const { id, kind } = question;
  if (answer.kind !== kind) return `${id} is a question of kind ${kind}, not ${answer.kind}`;
  switch (question.kind) {
    case "approval":
      return approvalProblem(question, answer as QuestionAnswer & { kind: "approval" });
    case "clarify":
      return clarifyProblem(question, answer as QuestionAnswer & { kind: "clarify" });
    case "confirm":
      return typeof (answer as { yes?: unknown }).yes === "boolean"
        ? undefined
        : `${id} is answered with yes: true or false`;
  }
}

function approvalProblem(
  { id, request: { allowAlways, onceOnly, choices = [] } }: Question & { kind: "approval" },
  { answer, choice, reason }: QuestionAnswer & { kind: "approval" },
): string | undefined {
  if (!APPROVAL_ANSWERS.includes(answer)) {
    return `${id} is answered with ${APPROVAL_ANSWERS.join(", ")}`;
  }
  const isRefused = (answer === "always" && !allowAlways) ||
    (answer === "session" && onceOnly === true);
  if (choice !== undefined) {
    const named = choices.find((offered) => offered.id === choice);
    if (named === undefined) {
      return `${id} has no choice ${JSON.stringify(choice)}: ${
        choices.map((one) => one.id).join(", ")
      }`;
    }
    if (named.answer !== answer) return `${id}: the choice ${choice} is the answer ${named.answer}`;
  } else if (isRefused) return `${id} cannot be answered with ${answer}`;
  return reason === undefined || typeof reason === "string" ? undefined : `${id}: reason is a text`;
}

function clarifyProblem(
  { id, questions }: Question & { kind: "clarify" },
  { answers }: QuestionAnswer & { kind: "clarify" },
): string | undefined {
  if (answers === undefined) return undefined;
  const isList = Array.isArray(answers) &&
    answers.every((one) => Array.isArray(one) && one.every((text) => typeof text === "string"));
  if (!isList) return `${id} is answered with a list of texts for each part`;
  return answers.length === questions.length
    ? undefined
    : `${id} has ${questions.length} parts, the answer ${answers.length}`;
}
