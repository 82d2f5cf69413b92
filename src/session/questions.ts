/**
 * The open questions of one session. Asks, waits for the first answer, the question's own end or
 * an interrupt, and tells the event stream of both. Owns no surface: answers come as operations.
 */
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
    const id = `q${++this.#count}`;
    const { emit, now, timer } = this.#options;
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
    const number = /^q([1-9]\d{0,9})$/.exec(id)?.[1];
    return number !== undefined && Number(number) <= this.#count;
  }
}

/**
 * What is wrong with an answer to a question; undefined when it can be taken. Answers come from
 * outside: one that was not offered must not count.
 */
function answerProblem(question: Question, answer: QuestionAnswer): string | undefined {
  const { id, kind } = question;
  if (answer.kind !== kind) return `${id} is a question of kind ${kind}, not ${answer.kind}`;
  if (kind === "approval" && answer.kind === "approval") {
    const { allowAlways, onceOnly } = question.request;
    const isRefused = (answer.answer === "always" && !allowAlways) ||
      (answer.answer === "session" && onceOnly === true);
    return isRefused ? `${id} cannot be answered with ${answer.answer}` : undefined;
  }
  if (kind === "clarify" && answer.kind === "clarify") {
    const { answers } = answer;
    if (answers !== undefined && answers.length !== question.questions.length) {
      return `${id} has ${question.questions.length} parts, the answer ${answers.length}`;
    }
  }
  return undefined;
}
