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
    if (RESERVED.includes(by)) return `${by} is nobody who answers questions`;
    const read = readAnswer(open.question, answer);
    if (typeof read === "string") return read;
    open.settle({ answer: read, by });
    return undefined;
  }

  #wasAsked(id: string): boolean {
    const [, number, stamp] = /^q([1-9]\d{0,9})-([0-9a-z]{1,12})$/.exec(id) ?? [];
    return number !== undefined && stamp === this.#stamp && Number(number) <= this.#count;
  }
}

/** Who ends a question without answering it. */
const RESERVED: readonly string[] = ["timeout", "interrupt"];
const APPROVAL_ANSWERS: readonly unknown[] = ["once", "session", "always", "deny"];

/**
 * An answer as the question takes it, or the line that says why it does not count. Answers come
 * from outside and may be anything: one that was not offered must never pass for a yes.
 */
function readAnswer(question: Question, given: QuestionAnswer): QuestionAnswer | string {
  const { id, kind } = question;
  if (given.kind !== kind) return `${id} is a question of kind ${kind}, not ${given.kind}`;
  switch (given.kind) {
    case "approval": {
      const { answer, reason } = given;
      const isText = reason === undefined || typeof reason === "string";
      if (!APPROVAL_ANSWERS.includes(answer) || !isText) {
        return `${id} is answered with once, session, always or deny, and maybe a reason in words`;
      }
      const { allowAlways, onceOnly } = (question as Question & { kind: "approval" }).request;
      const isRefused = (answer === "always" && !allowAlways) ||
        (answer === "session" && onceOnly === true);
      if (isRefused) return `${id} cannot be answered with ${answer}`;
      return { kind: "approval", answer, ...(reason === undefined ? {} : { reason }) };
    }
    case "clarify": {
      const { answers } = given;
      if (answers === undefined) return { kind: "clarify" };
      const { length } = (question as Question & { kind: "clarify" }).questions;
      if (!Array.isArray(answers) || !answers.every(isTexts)) {
        return `${id} is answered with a list of texts for each part`;
      }
      if (answers.length !== length) {
        return `${id} has ${length} parts, the answer ${answers.length}`;
      }
      return { kind: "clarify", answers };
    }
    case "confirm":
      return typeof given.yes === "boolean"
        ? { kind: "confirm", yes: given.yes }
        : `${id} is answered with yes: true or false`;
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
