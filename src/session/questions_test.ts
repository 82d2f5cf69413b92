import { deepEqual, equal, match } from "node:assert/strict";
import type { ApprovalAnswer } from "../protocol/approval.ts";
import type { EventBody } from "../protocol/event.ts";
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

Deno.test("ask() takes nothing for a yes that is none of the answers", async () => {
  const { questions } = createQuestions();
  const { signal } = new AbortController();
  const request = {
    id: "1",
    tool: "terminal",
    subject: "rm -rf x",
    rule: "r",
    description: "d",
    allowAlways: true,
  };
  const approval = questions.ask({ kind: "approval", request }, {
    fallback: { kind: "approval", answer: "deny" },
    signal,
  });
  for (const wrong of ["yes", "Deny", "no", "", undefined, null, 1, ["once"], { answer: "once" }]) {
    const answer = { kind: "approval", answer: wrong } as never;
    equal(
      questions.answer("q1-0", answer, "x"),
      "q1-0 is answered with once, session, always, deny",
    );
  }
  const reasoned = { kind: "approval", answer: "deny", reason: {} } as never;
  match(questions.answer("q1-0", reasoned, "x")!, /reason is a text/);
  equal(questions.answer("q1-0", { kind: "approval", answer: "deny" }, "x"), undefined);
  equal((await approval).by, "x");
  const part = { id: "1", question: "?", choices: [], multiSelect: false };
  const clarify = questions.ask({ kind: "clarify", questions: [part] }, {
    fallback: { kind: "clarify" },
    signal,
  });
  for (const wrong of ["a", ["a"], [[1]], [null], null]) {
    match(
      questions.answer("q2-0", { kind: "clarify", answers: wrong } as never, "x")!,
      /list of texts/,
    );
  }
  match(questions.answer("q2-0", { kind: "clarify", answers: [] }, "x")!, /has 1 parts/);
  equal(questions.answer("q2-0", { kind: "clarify", answers: [["a"]] }, "x"), undefined);
  await clarify;
  const confirm = questions.ask({ kind: "confirm", text: "?" }, { fallback: NO, signal });
  match(questions.answer("q3-0", { kind: "confirm", yes: "no" } as never, "x")!, /true or false/);
  equal(questions.answer("q3-0", YES, "x"), undefined);
  await confirm;
});

Deno.test("ask() takes the id of an offered choice, and no other", async () => {
  const { questions } = createQuestions();
  const { signal } = new AbortController();
  const offered = (id: string, answer: ApprovalAnswer) => ({ id, answer, text: id, grants: [] });
  const request = {
    tool: "terminal",
    subject: "rm -rf x",
    rule: "r",
    description: "d",
    allowAlways: false,
    choices: [offered("once", "once"), offered("rule", "always"), offered("deny", "deny")],
  };
  const fallback = { kind: "approval", answer: "deny" } as const;
  const asked = questions.ask({ kind: "approval", request }, { fallback, signal });
  const give = (answer: ApprovalAnswer, choice?: unknown) => {
    const named = choice === undefined ? {} : { choice };
    return questions.answer("q1-0", { kind: "approval", answer, ...named } as never, "x");
  };
  match(give("always")!, /cannot be answered with always/);
  match(give("always", "shape")!, /has no choice "shape": once, rule, deny/);
  match(give("always", 1)!, /has no choice 1/);
  match(give("once", "rule")!, /the choice rule is the answer always/);
  equal(give("always", "rule"), undefined);
  deepEqual((await asked).answer, { kind: "approval", answer: "always", choice: "rule" });
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
