/** Questions of sessions: their time by the host's clock, who hears of an answer, who may give one. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { HostClock } from "../../src/host/host.ts";
import type { SessionSpec } from "../../src/protocol/session_spec.ts";
import { EventLog, input, lastResult, openTestHost, type Respond } from "../support/test_host.ts";

const CLARIFIES: SessionSpec = {
  surface: "chat",
  storage: "none",
  toolsets: { enabled: ["clarify"] },
};

/** A clock that stands still; the test rings its timers. */
function stoppedClock() {
  const timers: { ms: number; ring: () => void; isCancelled: boolean }[] = [];
  const clock: HostClock = {
    now: () => new Date("2026-01-01T00:00:00Z"),
    timer(ms, ring) {
      const timer = { ms, ring, isCancelled: false };
      timers.push(timer);
      return () => timer.isCancelled = true;
    },
  };
  return { clock, timers };
}

/** A model that asks one question in each turn and keeps what it was told. */
function asking() {
  const results: Record<string, unknown>[] = [];
  const respond: Respond = (request) => {
    if (request.messages.at(-1)?.role !== "tool") {
      return { calls: [{ name: "clarify", arguments: { question: "Which?" } }] };
    }
    results.push(lastResult(request));
    return { text: "done" };
  };
  return { results, respond };
}

Deno.test("a clarifying question expires by the host's clock, and the model is told", async () => {
  const { clock, timers } = stoppedClock();
  const { results, respond } = asking();
  const config = { "agent.clarify_timeout": 90 };
  await using bench = await openTestHost({ clock, respond, config });
  const { session } = await bench.host.open(CLARIFIES);
  const log = new EventLog(session);
  session.submit(input("go"));
  const { question } = await log.next("question_start");
  equal(question.expiresAt, "2026-01-01T00:01:30.000Z");
  deepEqual(question.fallback, { kind: "clarify" });
  deepEqual(timers.map(({ ms }) => ms), [90_000]);
  timers[0]!.ring();
  equal((await log.next("question_end")).by, "timeout");
  await session.idle;
  deepEqual([results[0]!.timed_out, results[0]!.answered], [true, false]);
  match(String(results[0]!.user_response), /No answer in time/);
});

Deno.test("an answered question has no timer left, and declining is not silence", async () => {
  const { clock, timers } = stoppedClock();
  const { results, respond } = asking();
  await using bench = await openTestHost({ clock, respond });
  const { session } = await bench.host.open(CLARIFIES);
  const log = new EventLog(session);
  session.submit(input("go"));
  const { question: { id: questionId, expiresAt } } = await log.next("question_start");
  ok(expiresAt !== undefined, "by default a question ends by itself");
  session.submit({ op: "answer", questionId, answer: { kind: "clarify" } });
  await session.idle;
  deepEqual(timers.map(({ isCancelled }) => isCancelled), [true]);
  deepEqual([results[0]!.timed_out, results[0]!.answered], [undefined, false]);
});

Deno.test("everybody who watches hears who answered first, and the second is told", async () => {
  const { respond } = asking();
  await using bench = await openTestHost({ respond });
  const { session } = await bench.host.open(CLARIFIES);
  const [phone, laptop] = [new EventLog(session), new EventLog(session)];
  session.submit(input("go"));
  const { question: { id: questionId } } = await phone.next("question_start");
  const answer = (text: string) => ({
    op: "answer" as const,
    questionId,
    answer: { kind: "clarify" as const, answers: [[text]] },
  });
  equal(session.submit({ ...answer("a"), by: "phone" }).status, "accepted");
  deepEqual(session.submit({ ...answer("b"), by: "laptop" }), {
    status: "rejected",
    reason: `${questionId} is answered already`,
  });
  for (const log of [phone, laptop]) {
    const { by, answer } = await log.next("question_end");
    deepEqual([by, answer], ["phone", { kind: "clarify", answers: [["a"]] }]);
  }
  await session.idle;
});
