import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  EventLog,
  input,
  lastResult,
  openTestHost,
  type Respond,
} from "../../tests/support/test_host.ts";
import type { ScriptedReply } from "../../tests/support/scripted_provider.ts";
import { isRunning, writtenFile } from "../../tests/support/written_file.ts";
import type { ModelRequest } from "../protocol/provider.ts";
import type { SessionSpec } from "../protocol/session_spec.ts";
import { messageText } from "../protocol/message.ts";
import type { Session } from "../session/session.ts";

const RUN: SessionSpec = { surface: "run", storage: "none", toolsets: { enabled: [] } };

/** The text of the last user message. */
function said(request: ModelRequest): string {
  const message = request.messages.findLast(({ role }) => role === "user");
  return message?.role === "user" ? messageText(message) : "";
}

/** Runs one turn to its end. */
async function turn(session: Session, text: string): Promise<void> {
  const answer = session.submit(input(text));
  ok(answer.status === "accepted", JSON.stringify(answer));
  await session.idle;
}

/** A turn of this model calls a tool with the arguments the person gave as JSON, then says done. */
function callsWhatIsSaid(request: ModelRequest): ScriptedReply {
  return request.messages.at(-1)?.role === "tool"
    ? { text: "done" }
    : { calls: [{ name: "todo", arguments: JSON.parse(said(request)) }] };
}

Deno.test("open() gives sessions that are listed, found by id and gone after their end", async () => {
  await using bench = await openTestHost();
  const { host } = bench;
  const [a, b] = await Promise.all([host.open(RUN), host.open({ ...RUN, surface: "other" })]);
  deepEqual(host.list().map(({ surface }) => surface).sort(), ["other", "run"]);
  equal(host.get(a.session.id), a.session);
  await a.session.end("done");
  deepEqual([host.get(a.session.id), host.list()], [undefined, [b.session]]);
  await host.close();
  deepEqual(host.list(), []);
  await rejects(host.open(RUN), /hermes is closing/);
});

Deno.test("open() fails with one line and leaves nothing behind", async () => {
  await using bench = await openTestHost();
  const { host } = bench;
  await rejects(host.open({ ...RUN, environment: "nowhere" }), /nowhere/);
  await rejects(host.open({ ...RUN, toolsets: { enabled: ["no_such_set"] } }), /no_such_set/);
  await rejects(host.open({ surface: "run", resume: { session: "x" } }), /no session is called/);
  await rejects(host.open({ ...RUN, resume: { session: "latest" } }), /nothing to resume/);
  deepEqual(host.list(), []);
});

Deno.test("open() resumes what is stored, and gives an open session as it is", async () => {
  await using bench = await openTestHost();
  const { host } = bench;
  const spec = { surface: "run", toolsets: { enabled: [] } };
  const { session } = await host.open(spec);
  await turn(session, "first");
  const resume = { session: session.id };
  equal((await host.open({ ...spec, resume })).session, session);
  const ending = session.end("done");
  // One that is about to end is opened again, once, by both who ask.
  const [one, two] = await Promise.all([
    host.open({ ...spec, resume }),
    host.open({ ...spec, resume: { session: "latest" } }),
  ]);
  await ending;
  equal(one.session, two.session);
  ok(one.session !== session && one.session.id === session.id && one.session.resumed);
  deepEqual(one.session.snapshot().transcript.map(({ role }) => role), ["user", "assistant"]);
});

Deno.test("two sessions share no todo list and no spill directory", async () => {
  const results: string[] = [];
  const respond: Respond = (request) => {
    const last = request.messages.at(-1);
    if (last?.role === "tool") results.push(last.content);
    return callsWhatIsSaid(request);
  };
  await using bench = await openTestHost({ respond });
  const spec = { surface: "run", toolsets: { enabled: ["todo"] } };
  const [a, b] = [await bench.host.open(spec), await bench.host.open(spec)];
  const item = { id: "1", content: "x".repeat(4000), status: "pending" };
  const todos = Array.from({ length: 100 }, (_, i) => ({ ...item, id: `${i}` }));
  await turn(a.session, JSON.stringify({ todos }));
  await turn(b.session, "{}");
  deepEqual(JSON.parse(results[1]!).todos, []);
  await turn(b.session, JSON.stringify({ todos }));
  const root = `${bench.home}/.hermes/cache/spillover`;
  const directories = (await Array.fromAsync(Deno.readDir(root))).map(({ name }) => name).sort();
  deepEqual(directories, [a.session.id, b.session.id].sort());
});

/** A turn of this model wants to remove something. */
function removes(request: ModelRequest): ScriptedReply {
  return request.messages.at(-1)?.role === "tool"
    ? { text: "done" }
    : { calls: [{ name: "terminal", arguments: { command: "rm -rf nothing-here" } }] };
}

/** Behind the walls no person would be asked. */
const ASKS = {
  surface: "chat",
  storage: "none",
  sandbox: "off",
  toolsets: { enabled: ["terminal"] },
} as const;

Deno.test("an approval is a question that any listener answers, for its own session alone", async () => {
  await using bench = await openTestHost({ respond: removes });
  const [a, b] = [await bench.host.open(ASKS), await bench.host.open(ASKS)];
  const [first, second] = [new EventLog(a.session), new EventLog(a.session)];
  a.session.submit(input("go"));
  const { question } = await first.next("question_start");
  ok(question.kind === "approval" && question.expiresAt !== undefined);
  equal(question.request.subject, "rm -rf nothing-here");
  deepEqual(question.fallback, { kind: "approval", answer: "deny" });
  deepEqual(first.types.slice(-3), ["tool_start", "approval_start", "question_start"]);
  const answer = { op: "answer", questionId: question.id } as const;
  const yes = { kind: "approval", answer: "session" } as const;
  equal(b.session.submit({ ...answer, answer: yes }).status, "rejected");
  equal(a.session.submit({ ...answer, answer: yes, by: "phone" }).status, "accepted");
  const late = a.session.submit({ ...answer, answer: { ...yes, answer: "deny" }, by: "laptop" });
  deepEqual(late, { status: "rejected", reason: `${question.id} is answered already` });
  equal((await second.next("question_end")).by, "phone");
  equal((await second.next("approval_end")).by, "phone");
  await a.session.idle;
  // The yes holds for the session that asked; another one asks for itself.
  await turn(a.session, "again");
  equal(first.types.filter((type) => type === "question_start").length, 1);
  const other = new EventLog(b.session);
  b.session.submit(input("go"));
  await other.next("question_start");
  b.session.submit({ op: "interrupt" });
  equal((await other.next("question_end")).by, "interrupt");
  await b.session.idle;
});

Deno.test("an answer for good holds for sessions that open later", async () => {
  await using bench = await openTestHost({ respond: removes });
  const { session } = await bench.host.open(ASKS);
  const log = new EventLog(session);
  session.submit(input("go"));
  const { question: { id: questionId } } = await log.next("question_start");
  const answer = { kind: "approval", answer: "always" } as const;
  session.submit({ op: "answer", questionId, answer });
  await session.idle;
  const later = (await bench.host.open(ASKS)).session;
  const events = new EventLog(later);
  await turn(later, "go");
  equal((await events.next("turn_end")).reason, "done");
  ok(!events.types.includes("question_start"));
});

Deno.test("a question expires by the host's clock, and its default is the answer", async () => {
  const timers: { ms: number; ring: () => void }[] = [];
  const clock = {
    now: () => new Date("2026-01-01T00:00:00Z"),
    timer(ms: number, ring: () => void) {
      timers.push({ ms, ring });
      return () => {};
    },
  };
  await using bench = await openTestHost({
    respond: removes,
    clock,
    config: { "approvals.timeout": 60 },
  });
  const { session } = await bench.host.open(ASKS);
  const log = new EventLog(session);
  session.submit(input("go"));
  const { question } = await log.next("question_start");
  equal(question.expiresAt, "2026-01-01T00:01:00.000Z");
  equal(timers.length, 1);
  equal(timers[0]!.ms, 60_000);
  timers[0]!.ring();
  equal((await log.next("question_end")).by, "timeout");
  deepEqual((await log.next("approval_end")).by, "timeout");
  match((await log.next("tool_end")).result, /nobody answered in time/);
  await session.idle;
});

Deno.test("a surface that cannot ask gets no question: policy decides at once", async () => {
  await using bench = await openTestHost({ respond: removes });
  const run = { ...ASKS, surface: "run" };
  const plain = await bench.host.open(run);
  const asks = await bench.host.open({ ...run, approval: { policy: "ask" } });
  const [one, two] = [new EventLog(plain.session), new EventLog(asks.session)];
  await turn(plain.session, "go");
  await turn(asks.session, "go");
  match((await one.next("tool_end")).result, /BLOCKED/);
  equal((await one.next("turn_end")).reason, "done");
  equal((await two.next("turn_end")).reason, "needs_approval");
  equal((await two.next("approval_start")).request.rule, "recursive delete");
  equal((await two.next("approval_end")).by, "nobody present");
  ok(![...one.types, ...two.types].includes("question_start"));
});

Deno.test("only whom the spec names may answer, and only what was offered", async () => {
  await using bench = await openTestHost({ respond: removes });
  const { session } = await bench.host.open({ ...ASKS, approval: { answerers: ["chat:7"] } });
  const log = new EventLog(session);
  session.submit(input("go"));
  const { question } = await log.next("question_start");
  const operation = { op: "answer", questionId: question.id } as const;
  const answer = { kind: "approval", answer: "once" } as const;
  const reason = (ack: ReturnType<Session["submit"]>) => ack.status === "rejected" && ack.reason;
  match(String(reason(session.submit({ ...operation, answer, by: "chat:8" }))), /chat:8 may not/);
  match(String(reason(session.submit({ ...operation, answer }))), /may not answer/);
  const wrong = { kind: "confirm", yes: true } as const;
  const by = "chat:7";
  match(String(reason(session.submit({ ...operation, answer: wrong, by }))), /kind approval/);
  equal(session.submit({ ...operation, answer, by }).status, "accepted");
  await session.idle;
});

Deno.test("clarifying questions go the same way, and declining is an answer", async () => {
  const results: unknown[] = [];
  const respond: Respond = (request) => {
    if (request.messages.at(-1)?.role === "tool") {
      results.push(lastResult(request));
      return { text: "done" };
    }
    return { calls: [{ name: "clarify", arguments: { question: "Which?", choices: ["a", "b"] } }] };
  };
  await using bench = await openTestHost({ respond });
  const { session } = await bench.host.open({ ...ASKS, toolsets: { enabled: ["clarify"] } });
  const log = new EventLog(session);
  session.submit(input("go"));
  const { question } = await log.next("question_start");
  ok(question.kind === "clarify" && question.questions[0]!.question === "Which?");
  const operation = { op: "answer", questionId: question.id } as const;
  equal(
    session.submit({ ...operation, answer: { kind: "clarify", answers: [] } }).status,
    "rejected",
  );
  session.submit({ ...operation, answer: { kind: "clarify", answers: [["b"]] } });
  await session.idle;
  equal((results[0] as { user_response: string }).user_response, "b");
  session.submit(input("go"));
  const next = await log.next("question_start", 1);
  const declined = {
    op: "answer",
    questionId: next.question.id,
    answer: { kind: "clarify" },
  } as const;
  equal(session.submit(declined).status, "accepted");
  await session.idle;
  equal(results.length, 2);
});

Deno.test("close() lets a running turn end within the grace and stores all of it", async () => {
  const answer = Promise.withResolvers<void>();
  await using bench = await openTestHost({
    respond: async () => {
      await answer.promise;
      return { text: "just in time" };
    },
  });
  const { host } = bench;
  const { session } = await host.open({ surface: "run", toolsets: { enabled: [] } });
  const log = new EventLog(session);
  session.submit(input("go"));
  await log.next("message_start");
  const closed = host.close({ graceMs: 60_000 });
  equal(session.submit(input("more")).status, "rejected");
  answer.resolve();
  await closed;
  await log.ended;
  deepEqual(log.types.slice(-2), ["turn_end", "session_end"]);
  equal((await log.next("turn_end")).text, "just in time");
  const { Store } = await import("../store/store.ts");
  using store = new Store(host.settings.home.path("state.db"));
  equal(store.messages(session.id).length, 2);
  equal(store.getSession(session.id)!.endReason, "done");
});

Deno.test("close() interrupts what does not end in time, and no child is left", async () => {
  const command = "echo $$ > pid; exec sleep 300";
  await using bench = await openTestHost({
    respond: () => ({ calls: [{ name: "terminal", arguments: { command } }] }),
  });
  const { host, home } = bench;
  const toolsets = { enabled: ["terminal"] };
  const { session } = await host.open({ surface: "run", toolsets, storage: "none" });
  const log = new EventLog(session);
  session.submit(input("go"));
  const pid = await writtenFile(`${home}/pid`);
  await host.close({ graceMs: 20 });
  await log.ended;
  equal((await log.next("turn_end")).reason, "interrupted");
  equal(log.types.at(-1), "session_end");
  ok(!await isRunning(pid), "the command outlived its session");
});

Deno.test("wake() begins a turn where the surface wants it, and waits for one elsewhere", async () => {
  const heard: string[] = [];
  const row = { headless: true, questions: "none", busy: "queue" } as const;
  await using bench = await openTestHost({
    respond: (request) => {
      heard.push(said(request));
      return { text: "ok" };
    },
    surfaces: { eager: { ...row, wake: "turn" } },
  });
  const eager = await bench.host.open({ ...RUN, surface: "eager" });
  deepEqual(eager.session.wake("a file changed"), { status: "accepted", turn: 1 });
  await eager.session.idle;
  deepEqual(heard, ["a file changed"]);
  equal(eager.session.wake().status, "rejected");
  const calm = await bench.host.open(RUN);
  deepEqual(calm.session.wake("a file changed"), { status: "queued", position: 1 });
  await turn(calm.session, "hello");
  // What waited is read before what the person says now.
  deepEqual(heard, ["a file changed", "hello"]);
  // Background work alone does not keep a session busy for ever.
  let turns = 1;
  while (eager.session.wake("again").status === "accepted") {
    turns++;
    await eager.session.idle;
  }
  equal(turns, 20);
  await turn(eager.session, "a person");
  equal(eager.session.wake("again").status, "accepted");
  await eager.session.idle;
});

Deno.test("a finished background process wakes an idle session", async () => {
  const row = { headless: true, questions: "none", busy: "queue", wake: "turn" } as const;
  const heard: string[] = [];
  await using bench = await openTestHost({
    surfaces: { eager: row },
    respond(request) {
      heard.push(said(request));
      if (request.messages.length > 1) return { text: "ok" };
      const command = "read line < fifo; echo woke";
      const args = { command, background: true, "notify_on_complete": true };
      return { calls: [{ name: "terminal", arguments: args }] };
    },
  });
  await new Deno.Command("mkfifo", { args: [`${bench.home}/fifo`] }).output();
  const toolsets = { enabled: ["terminal", "process"] };
  const { session } = await bench.host.open({ ...RUN, surface: "eager", toolsets });
  const log = new EventLog(session);
  await turn(session, "start it");
  await Deno.writeTextFile(`${bench.home}/fifo`, "go\n");
  await log.next("turn_end", 1);
  match(heard.at(-1)!, /Background process proc_\w+ ended with exit code 0[\s\S]*woke/);
});

Deno.test("set_model changes the model of later turns; a name that is none is an event", async () => {
  const { RouteTable } = await import("./routes.ts");
  const { RespondingProvider } = await import("../../tests/support/test_host.ts");
  const { UsageError } = await import("../protocol/error.ts");
  const routes = new RouteTable((options) => {
    if (options.model === "none") throw new UsageError("no such model");
    const primary = new RespondingProvider(() => ({ text: "x" }), options.model ?? "one");
    const target = { provider: "fake", model: "m", baseUrl: "", wire: "openai_chat" as const };
    return Promise.resolve({ primary, fallbacks: [], source: "flag", target });
  });
  await using bench = await openTestHost({ routes });
  const { session } = await bench.host.open(RUN);
  const log = new EventLog(session);
  equal(session.submit({ op: "set_model", model: "two" }).status, "accepted");
  equal((await log.next("model_change")).model, "two");
  equal(session.model, "fake/two");
  session.submit({ op: "set_model", model: "none" });
  equal((await log.next("error")).message, "no such model");
  await turn(session, "go");
  equal((await log.next("message_end")).message.model, "scripted-1");
});

Deno.test("the time budget of a spec ends the turn that runs, and later ones at once", async () => {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const rings: (() => void)[] = [];
  await using bench = await openTestHost({
    respond: () => (resolve(), { text: "half", hang: true }),
    clock: { now: () => new Date(0), timer: (_ms, ring) => (rings.push(ring), () => {}) },
  });
  const { session } = await bench.host.open({ ...RUN, budget: { timeMs: 300_000 } });
  const log = new EventLog(session);
  equal(rings.length, 0);
  session.submit(input("go"));
  await started;
  rings[0]!();
  const end = await log.next("turn_end");
  deepEqual([end.reason, end.detail], ["budget", "time budget spent: 5m are over"]);
  await turn(session, "more");
  equal((await log.next("turn_end", 1)).reason, "budget");
});
