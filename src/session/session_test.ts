import { deepEqual, equal, match, ok } from "node:assert/strict";
import { FakeDispatcher } from "../../tests/support/loop_deps.ts";
import { ScriptedProvider, type ScriptedReply } from "../../tests/support/scripted_provider.ts";
import { sessionDeps } from "../../tests/support/session_deps.ts";
import type { Operation } from "../protocol/operation.ts";
import type { FeedItem, Subscription } from "./event_feed.ts";
import { Session } from "./session.ts";
import { startTimer } from "./timers.ts";

function createSession(replies: ScriptedReply[], dispatcher?: FakeDispatcher) {
  const provider = new ScriptedProvider(replies);
  const { deps, messages } = sessionDeps({ provider, ...(dispatcher ? { dispatcher } : {}) });
  const ended: string[] = [];
  const session = new Session({
    ...deps,
    end: (reason) => void ended.push(reason),
    dispose: () => Promise.resolve(void ended.push("disposed")),
  });
  return { session, provider, messages, ended };
}

function input(text: string): Operation {
  return { op: "input", content: [{ type: "text", text }] };
}

/** Reads until an event of this type came, and gives the types and texts on the way. */
async function until(listener: AsyncIterator<FeedItem>, type: string): Promise<string[]> {
  const seen: string[] = [];
  while (true) {
    const { value, done } = await listener.next();
    if (done) return [...seen, "end"];
    const name = value.type === "event" ? value.event.type : value.type;
    seen.push(name);
    if (name === type) return seen;
  }
}

function reading(subscription: Subscription): AsyncIterator<FeedItem> {
  return subscription[Symbol.asyncIterator]();
}

Deno.test("submit() runs a turn that every listener sees in the same order", async () => {
  const { session, messages } = createSession([{ text: "hello" }]);
  const listeners = [1, 2, 3].map(() => reading(session.subscribe({ snapshot: false })));
  deepEqual(session.submit(input("hi")), { status: "accepted", turn: 1 });
  const seen = await Promise.all(listeners.map((one) => until(one, "turn_end")));
  deepEqual(seen[0], [
    "session_start",
    "turn_start",
    "message_start",
    "message_delta",
    "message_end",
    "usage",
    "turn_end",
  ]);
  deepEqual(seen[1], seen[0]);
  deepEqual(seen[2], seen[0]);
  equal(messages.length, 2);
  await session.end("done");
});

Deno.test("subscribe() in the middle of a turn gives the turn so far, then the rest once", async () => {
  const { session } = createSession([{ text: "thinking aloud", hang: true }, { text: "next" }]);
  const first = reading(session.subscribe({ snapshot: false }));
  session.submit(input("go"));
  await until(first, "message_delta");
  session.submit(input("later"));
  const late = reading(session.subscribe());
  const { value } = await late.next();
  ok(value?.type === "snapshot");
  const { snapshot } = value;
  equal(snapshot.running?.text, "thinking aloud");
  deepEqual(snapshot.queued, [[{ type: "text", text: "later" }]]);
  equal(snapshot.transcript.length, 1);
  deepEqual(session.submit({ op: "interrupt" }), { status: "accepted" });
  const { value: next } = await late.next();
  ok(next?.type === "event" && next.event.seq === snapshot.seq + 1);
  await until(late, "turn_start");
  await until(late, "turn_end");
  await session.idle;
  equal(session.snapshot().running, undefined);
  await session.end("done");
});

Deno.test("questions are answered by operations; the first answer counts", async () => {
  const late: { session?: Session } = {};
  const answers: unknown[] = [];
  const dispatcher = new FakeDispatcher(async (_call, signal) => {
    const question = { kind: "confirm", text: "Really?" } as const;
    const fallback = { kind: "confirm", yes: false } as const;
    answers.push(await late.session!.questions.ask(question, { fallback, signal }));
    return {};
  });
  const calls = [{ name: "probe", arguments: {} }];
  const { session } = createSession([{ calls }, { text: "done" }], dispatcher);
  late.session = session;
  const listener = reading(session.subscribe({ snapshot: false }));
  session.submit(input("go"));
  await until(listener, "question_start");
  const [question] = session.snapshot().questions;
  const answer = { kind: "confirm", yes: true } as const;
  const operation = { op: "answer", questionId: question!.id, answer } as const;
  deepEqual(session.submit({ ...operation, by: "a" }), { status: "accepted" });
  const second = session.submit({ ...operation, by: "b" });
  ok(second.status === "rejected" && /answered already/.test(second.reason));
  await until(listener, "turn_end");
  deepEqual(answers, [{ answer, by: "a" }]);
  await session.end("done");
});

Deno.test("submit() says why an operation does nothing", async () => {
  const { session } = createSession([]);
  const reason = (operation: Parameters<Session["submit"]>[0]) => {
    const answer = session.submit(operation);
    return answer.status === "rejected" ? answer.reason : answer.status;
  };
  equal(reason({ op: "steer", text: "x" }), "no turn is running");
  equal(reason({ op: "interrupt" }), "no turn is running");
  equal(reason({ op: "continue" }), "the last turn is finished");
  equal(reason({ op: "command", name: "x", argument: "" }), "this session has no command x");
  equal(reason({ op: "compact" }), "this session cannot compact its context");
  equal(reason({ op: "set_model", model: "x" }), "this session cannot change its model");
  match(reason({ op: "interrupt", v: 2 as 1 }), /version 2/);
  await session.end("done");
  equal(reason(input("late")), "the session is closed");
});

Deno.test("submit() keeps no more lines for the model than it may", async () => {
  const { session } = createSession([{ text: "x", hang: true }]);
  const listener = reading(session.subscribe({ snapshot: false }));
  session.submit(input("go"));
  await until(listener, "message_delta");
  for (let i = 0; i < 100; i++) {
    equal(session.submit({ op: "steer", text: "left" }).status, "accepted");
  }
  const full = { status: "rejected", reason: "100 lines wait already" };
  deepEqual(session.submit({ op: "steer", text: "right" }), full);
  deepEqual(session.submit({ ...input("right"), busy: "steer" } as Operation), full);
  await session.end("done");
});

Deno.test("end() interrupts the running turn, drops what waits, stores and frees, once", async () => {
  const { session, ended } = createSession([{ text: "x", hang: true }]);
  const listener = reading(session.subscribe({ snapshot: false }));
  session.submit(input("go"));
  session.submit(input("never"));
  await until(listener, "message_delta");
  deepEqual(session.submit({ op: "close" }), { status: "accepted" });
  deepEqual((await until(listener, "nothing")).slice(-3), ["turn_end", "session_end", "end"]);
  deepEqual(ended, ["done", "disposed"]);
});

Deno.test("end() with a grace takes answers for the running turn and nothing else", async () => {
  const late: { session?: Session } = {};
  const dispatcher = new FakeDispatcher(async (_call, signal) => {
    const fallback = { kind: "confirm", yes: false } as const;
    await late.session!.questions.ask({ kind: "confirm", text: "?" }, { fallback, signal });
    return {};
  });
  const calls = [{ name: "probe", arguments: {} }];
  const { session, messages } = createSession([{ calls }, { text: "done" }], dispatcher);
  late.session = session;
  const listener = reading(session.subscribe({ snapshot: false }));
  session.submit(input("go"));
  await until(listener, "question_start");
  const ended = session.end("done", { graceMs: 60_000 });
  equal(session.submit(input("more")).status, "rejected");
  equal(session.submit({ op: "command", name: "x", argument: "" }).status, "rejected");
  const [question] = session.snapshot().questions;
  const answer = { kind: "confirm", yes: true } as const;
  equal(session.submit({ op: "answer", questionId: question!.id, answer }).status, "accepted");
  await ended;
  equal(messages.length, 4);
  deepEqual((await until(listener, "nothing")).slice(-3), ["turn_end", "session_end", "end"]);
});

Deno.test("end() that abandons leaves the record as it is", async () => {
  const { session, ended } = createSession([]);
  await session.end("failed", { abandon: true });
  deepEqual(ended, ["disposed"]);
});

Deno.test("command runs by name, tells what it printed, and ends with the session", async () => {
  const { deps } = sessionDeps({ provider: new ScriptedProvider([]) });
  const aborted: unknown[] = [];
  const session: Session = new Session({
    ...deps,
    commands: {
      has: (name) => name !== "none",
      run: async (name, argument, { signal, sessionId }) => {
        equal(sessionId, session.id);
        if (name !== "hang") return `${name} ${argument}`;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        aborted.push(signal.reason);
        throw new Error("stopped");
      },
    },
  });
  const listener = reading(session.subscribe({ snapshot: false }));
  equal(session.submit({ op: "command", name: "none", argument: "" }).status, "rejected");
  equal(session.submit({ op: "command", name: "echo", argument: "x" }).status, "accepted");
  const { value } = await listener.next();
  ok(value?.type === "event" && value.event.type === "command_end");
  deepEqual([value.event.text, value.event.isError], ["echo x", false]);
  session.submit({ op: "command", name: "hang", argument: "" });
  deepEqual(session.submit({ op: "interrupt" }), { status: "accepted" });
  const next = (await listener.next()).value;
  ok(next?.type === "event" && next.event.type === "command_end" && next.event.isError);
  for (let i = 0; i < 16; i++) session.submit({ op: "command", name: "hang", argument: "" });
  const more = session.submit({ op: "command", name: "echo", argument: "" });
  deepEqual(more, { status: "rejected", reason: "16 commands run already" });
  await session.end("done");
  equal(aborted.length, 17);
});

Deno.test("submit() takes of an operation what is data: other fields reach no part of the session", async () => {
  const { session } = createSession([{ text: "one" }, { text: "two" }]);
  const extra = { signal: {}, onStart: 1, onEnd: {}, onFailure: 2, onDrop: 3 };
  equal(session.submit({ ...input("a"), ...extra } as unknown as Operation).status, "accepted");
  await session.idle;
  equal(session.failure, undefined);
  equal(session.submit(input("b")).status, "accepted");
  await session.idle;
  await session.end("done");
});

Deno.test("submit() refuses to steer with more than may wait for the model", async () => {
  const { session } = createSession([{ text: "thinking", hang: true }]);
  const listener = reading(session.subscribe({ snapshot: false }));
  session.submit(input("go"));
  await until(listener, "message_delta");
  const steer = () => session.submit({ op: "steer", text: "left" }).status;
  deepEqual(new Set(Array.from({ length: 100 }, steer)), new Set(["accepted"]));
  equal(steer(), "rejected");
  equal(session.submit({ ...input("left"), busy: "steer" } as Operation).status, "rejected");
  await session.end("done");
});

Deno.test("startTimer() does not ring at once for a time that no timer can count", async () => {
  let rang = 0;
  const cancels = [2 ** 31, 1e15, Infinity].map((ms) => startTimer(ms, () => rang++));
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const cancel of cancels) cancel();
  equal(rang, 0);
});
