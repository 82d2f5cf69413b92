import assert from "node:assert/strict";
import { FakeTime } from "../../tests/support/fake_time.ts";
import { Conversation, type GuestLink } from "./conversation.ts";
import type { GuestMessage, HostMessage, Question } from "./messages.ts";
import type { PushReceipt } from "../protocol/push.ts";
import { GuestError, GuestGone } from "./problem.ts";

const QUESTION: Question = { kind: "check", name: "x" };

/** A guest played by the test. */
class FakeLink implements GuestLink {
  readonly sent: HostMessage[] = [];
  readonly #gone = Promise.withResolvers<string>();
  closed = 0;
  say: (message: GuestMessage, chars?: number) => void = () => {};

  send(message: HostMessage): void {
    this.sent.push(message);
  }

  serve(onMessage: (message: GuestMessage, chars: number) => void): Promise<string> {
    this.say = (message, chars = 0) => onMessage(message, chars);
    return this.#gone.promise;
  }

  leave(reason: string): void {
    this.#gone.resolve(reason);
  }

  close(): Promise<void> {
    this.closed++;
    this.leave("it was closed");
    return Promise.resolve();
  }
}

function accept(): Promise<PushReceipt> {
  return Promise.resolve({ status: "accepted" });
}

function event(seq: number): GuestMessage {
  return { t: "event", seq, event: { kind: "notice", notice: { sessionId: "s", text: "x" } } };
}

function start(take: (event: unknown) => Promise<PushReceipt> = accept) {
  const link = new FakeLink();
  const ends: string[] = [];
  const logs: string[] = [];
  const conversation = new Conversation(link, {
    log: (text) => logs.push(text),
    onEnd: (reason) => ends.push(reason),
    onEvent: take,
  });
  const { signal } = new AbortController();
  return { link, ends, logs, conversation, signal };
}

Deno.test("ask() matches answers that come in another order", async () => {
  const { link, conversation, signal } = start();
  const [a, b] = [conversation.ask(QUESTION, { signal }), conversation.ask(QUESTION, { signal })];
  link.say({ t: "result", id: 2, value: "second" });
  link.say({ t: "result", id: 1, value: "first" });
  assert.deepEqual(await Promise.all([a, b]), ["first", "second"]);
  await conversation.close();
});

Deno.test("ask() rejects with what the plugin threw", async () => {
  const { link, conversation, signal } = start();
  const answer = conversation.ask(QUESTION, { signal });
  link.say({ t: "result", id: 1, failure: { message: "no", extra: { a: 1 } } });
  await assert.rejects(answer, (error: GuestError) => {
    assert.deepEqual([error.message, error.extra], ["no", { a: 1 }]);
    return error instanceof GuestError;
  });
  await conversation.close();
});

Deno.test("ask() passes progress on to its own question only", async () => {
  const { link, conversation, signal } = start();
  const heard: string[] = [];
  const answer = conversation.ask(QUESTION, { signal, onProgress: (text) => heard.push(text) });
  link.say({ t: "progress", id: 1, text: "mine" });
  link.say({ t: "progress", id: 7, text: "nobody's" });
  link.say({ t: "result", id: 1, value: null });
  await answer;
  assert.deepEqual(heard, ["mine"]);
  await conversation.close();
});

Deno.test("ask() gives up at once on abort and keeps a plugin that answers the ping", async () => {
  const { link, ends, conversation } = start();
  const abort = new AbortController();
  const answer = conversation.ask(QUESTION, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await assert.rejects(answer, { message: "enough" });
  assert.deepEqual(link.sent.slice(1), [{ t: "cancel", id: 1 }, { t: "ping" }]);
  link.say({ t: "pong" });
  link.say({ t: "result", id: 1, value: "late" });
  assert.deepEqual(ends, []);
  await conversation.close();
});

Deno.test("a plugin that answers neither question nor ping is stopped", async () => {
  using time = new FakeTime();
  const { link, ends, conversation } = start();
  const abort = new AbortController();
  const slow = conversation.ask(QUESTION, { signal: abort.signal });
  const other = conversation.ask(QUESTION, { signal: new AbortController().signal });
  abort.abort(new Error("enough"));
  await assert.rejects(slow, { message: "enough" });
  await assert.rejects(time.until(other), GuestGone);
  assert.match(ends.join(), /does not answer/);
  assert.equal(link.closed, 1);
  await assert.rejects(
    conversation.ask(QUESTION, { signal: new AbortController().signal }),
    GuestGone,
  );
});

Deno.test("register() rejects when time is up, and when the guest leaves", async () => {
  const message = {
    t: "register" as const,
    main: "",
    name: "x",
    version: "1",
    config: {},
    dataDir: "",
    secrets: {},
    caCerts: [],
    nodeShim: false,
  } satisfies HostMessage;
  const slow = start();
  await assert.rejects(slow.conversation.register(message, 20), {
    message: /did not return within 0\.02 s/,
  });
  const gone = start();
  const answer = gone.conversation.register(message, 10_000);
  gone.link.leave("it crashed");
  await assert.rejects(answer, { message: "it crashed" });
});

Deno.test("close() is the owner's wish: nothing is reported", async () => {
  const { ends, conversation } = start();
  await conversation.close();
  await conversation.close();
  assert.deepEqual(ends, []);
});

Deno.test("log lines are cut and counted", async () => {
  const { link, logs, ends } = start();
  link.say({ t: "log", text: "x".repeat(5_000) });
  assert.equal(logs[0]!.length, 2_000);
  for (let i = 0; i < 10_000; i++) link.say({ t: "log", text: "y" });
  assert.match(ends.join(), /floods/);
  await Promise.resolve();
});

Deno.test("every event is acknowledged by its number once it is decided about", async () => {
  const decided = Promise.withResolvers<PushReceipt>();
  const { link, conversation } = start(() => decided.promise);
  link.say(event(7));
  assert.deepEqual(link.sent, []);
  decided.resolve({ status: "rejected", reason: "no", retry: false });
  await decided.promise;
  await Promise.resolve();
  assert.deepEqual(link.sent, [{
    t: "ack",
    seq: 7,
    receipt: { status: "rejected", reason: "no", retry: false },
  }]);
  await conversation.close();
});

Deno.test("a guest that does not wait for acknowledgements is stopped", () => {
  const { link, ends } = start(() => new Promise(() => {}));
  for (let seq = 1; seq <= 64; seq++) link.say(event(seq));
  assert.deepEqual(ends, []);
  link.say(event(65));
  assert.match(ends[0]!, /floods hermes: more than 64 events, .* were not acknowledged/);
  assert.equal(link.closed, 1);
  const large = start(() => new Promise(() => {}));
  for (let seq = 1; seq <= 3; seq++) large.link.say(event(seq), 15_000_000);
  assert.match(large.ends[0]!, /or 32 million characters, were not acknowledged/);
});

Deno.test("events that are taken do not count as a flood, refused ones do", async () => {
  const taken = start();
  for (let seq = 1; seq <= 10_050; seq++) {
    taken.link.say(event(seq));
    await Promise.resolve();
    await Promise.resolve();
  }
  assert.deepEqual(taken.ends, []);
  await taken.conversation.close();
  const refused = start(() => Promise.resolve({ status: "rejected", reason: "no", retry: false }));
  for (let seq = 1; seq <= 10_050; seq++) {
    refused.link.say(event(seq));
    await Promise.resolve();
    await Promise.resolve();
  }
  assert.match(refused.ends[0]!, /floods hermes with messages/);
});

Deno.test("ask() with a linger waits for the answer of what was asked to end", async () => {
  const { link, conversation } = start();
  const abort = new AbortController();
  const question: Question = { kind: "service", name: "x" };
  let isReady = false;
  const onReady = () => isReady = true;
  const answer = conversation.ask(question, { signal: abort.signal, onReady, lingerMs: 1_000 });
  link.say({ t: "ready", id: 1 });
  assert.ok(isReady);
  abort.abort(new Error("over"));
  link.say({ t: "result", id: 1, value: "tidy" });
  assert.equal(await answer, "tidy");
  const stubborn = new AbortController();
  const never = conversation.ask(question, { signal: stubborn.signal, lingerMs: 5 });
  stubborn.abort(new Error("over"));
  await assert.rejects(never, { message: "over" });
  link.say({ t: "pong" });
  await conversation.close();
});

Deno.test("chunks reach whoever asked, and nobody else", async () => {
  const { link, conversation, signal } = start();
  const chunks: unknown[] = [];
  const answer = conversation.ask(QUESTION, { signal, onChunk: (value) => chunks.push(value) });
  link.say({ t: "chunk", id: 1, value: "a" });
  link.say({ t: "chunk", id: 99, value: "b" });
  link.say({ t: "result", id: 1, value: null });
  await answer;
  assert.deepEqual(chunks, ["a"]);
  await conversation.close();
});
