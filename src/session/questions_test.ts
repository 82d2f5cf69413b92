import { deepEqual, equal, match } from "node:assert/strict";
import type { ApprovalRequest } from "../protocol/approval.ts";
import type { EventBody } from "../protocol/event.ts";
import type { QuestionAnswer, QuestionBody } from "../protocol/question.ts";
import { Questions } from "./questions.ts";

const NO = { kind: "confirm", yes: false } as const;
const YES = { kind: "confirm", yes: true } as const;

function createQuestions() {
  const events: EventBody[] = [];
  const timers: { ms: number; ring: () => void; cancelled: boolean }[] = [];
  const questions = new Questions({
    emit: (event) => events.push(event),
    now: () => new Date(0),
    timer(ms, ring) {
      const timer = { ms, ring, cancelled: false };
      timers.push(timer);
      return () => timer.cancelled = true;
    },
  });
  const ask = (expiresMs?: number, signal = new AbortController().signal) =>
    questions.ask({ kind: "confirm", text: "Sure?" }, {
      fallback: NO,
      signal,
      ...(expiresMs === undefined ? {} : { expiresMs }),
    });
  return { events, timers, questions, ask };
}

Deno.test("ask() resolves to the first answer; later ones are told so", async () => {
  const { events, questions, ask } = createQuestions();
  const asked = ask();
  deepEqual(questions.list().map(({ id }) => id), ["q1-0"]);
  equal(questions.answer("q1-0", YES, "terminal"), undefined);
  match(questions.answer("q1-0", NO, "telegram")!, /answered already/);
  deepEqual(await asked, { answer: YES, by: "terminal" });
  match(questions.answer("q1-0", NO, "telegram")!, /answered already/);
  match(questions.answer("q2-0", NO, "telegram")!, /no question q2-0/);
  deepEqual(events.map(({ type }) => type), ["question_start", "question_end"]);
  deepEqual(questions.list(), []);
});

Deno.test("ask() takes no answer of another kind", async () => {
  const { questions, ask } = createQuestions();
  const asked = ask();
  match(questions.answer("q1-0", { kind: "clarify" }, "x")!, /of kind confirm, not clarify/);
  questions.answer("q1-0", YES, "x");
  equal((await asked).by, "x");
});

Deno.test("ask() falls back when its time is over or the turn is interrupted", async () => {
  const { events, timers, ask } = createQuestions();
  const late = ask(5_000);
  equal(timers[0]!.ms, 5_000);
  timers[0]!.ring();
  deepEqual(await late, { answer: NO, by: "timeout" });
  const abort = new AbortController();
  const cut = ask(5_000, abort.signal);
  abort.abort();
  deepEqual(await cut, { answer: NO, by: "interrupt" });
  equal(timers[1]!.cancelled, true);
  deepEqual(await ask(undefined, abort.signal), { answer: NO, by: "interrupt" });
  const starts = events.filter((event) => event.type === "question_start");
  deepEqual(starts.map((event) => event.question.expiresAt), [
    "1970-01-01T00:00:05.000Z",
    "1970-01-01T00:00:05.000Z",
  ]);
});

Deno.test("an answer right after the interrupt or the timeout does not count, and is told so", async () => {
  const { events, questions, timers, ask } = createQuestions();
  const abort = new AbortController();
  const cut = ask(undefined, abort.signal);
  abort.abort();
  // The same tick: nobody had a chance to hear of the interrupt yet.
  match(questions.answer("q1-0", YES, "phone")!, /answered already/);
  deepEqual(questions.list(), []);
  deepEqual(await cut, { answer: NO, by: "interrupt" });
  const late = ask(5_000);
  timers[0]!.ring();
  match(questions.answer("q2-0", YES, "phone")!, /answered already/);
  deepEqual(await late, { answer: NO, by: "timeout" });
  const ends = events.flatMap((event) => event.type === "question_end" ? [event.by] : []);
  deepEqual(ends, ["interrupt", "timeout"]);
});

Deno.test("answer() takes nothing that was not offered, whatever the data holds", async () => {
  const request: ApprovalRequest = {
    tool: "terminal",
    subject: "rm -rf x",
    rule: "recursive delete",
    description: "deletes",
    allowAlways: false,
  };
  const part = { question: "Which?", choices: [] } as never;
  const bodies: [QuestionBody, unknown[]][] = [
    [{ kind: "approval", request }, [
      {},
      { answer: "yes" },
      { answer: "DENY" },
      { answer: true },
      { answer: ["once"] },
      { answer: "always" },
      { answer: "deny", reason: { a: 1 } },
    ]],
    [{ kind: "clarify", questions: [part] }, [
      { answers: "x" },
      { answers: ["x"] },
      { answers: [[1]] },
      { answers: [["x"], ["y"]] },
      { answers: { length: 1 } },
    ]],
    [{ kind: "confirm", text: "Sure?" }, [{}, { yes: "no" }, { yes: 1 }]],
  ];
  for (const [body, answers] of bodies) {
    const { questions } = createQuestions();
    const abort = new AbortController();
    const asked = questions.ask(body, { fallback: NO, signal: abort.signal });
    for (const fields of answers) {
      const given = { kind: body.kind, ...fields as object } as QuestionAnswer;
      match(questions.answer("q1-0", given, "x") ?? "taken", /^q1-0 /, JSON.stringify(fields));
    }
    match(questions.answer("q1-0", YES, "timeout")!, /nobody who answers/);
    equal(questions.list().length, 1);
    abort.abort();
    equal((await asked).by, "interrupt");
  }
});

Deno.test("an answer from before a restart meets no question of today", async () => {
  const before = createQuestions();
  const abort = new AbortController();
  const asked = before.ask(undefined, abort.signal);
  const [{ id } = { id: "" }] = before.questions.list();
  const later = new Questions({ emit() {}, now: () => new Date(60_000), timer: () => () => {} });
  const again = later.ask({ kind: "confirm", text: "Delete everything?" }, {
    fallback: NO,
    signal: abort.signal,
  });
  match(later.answer(id, YES, "an old button")!, /there is no question/);
  equal(later.list().length, 1);
  abort.abort();
  await Promise.all([asked, again]);
});
