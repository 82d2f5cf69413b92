import assert from "node:assert/strict";
import type { PluginSession } from "../../protocol/plugin.ts";
import type { InboundMessage } from "../../protocol/push.ts";
import { EventIntake, type IntakeOptions, MESSAGES } from "./event_intake.ts";

function setUp(options: Partial<IntakeOptions> = {}) {
  const reports: string[] = [];
  const lines: string[] = [];
  const session: PluginSession = {
    id: "s1",
    submit(operation) {
      lines.push(JSON.stringify(operation));
      return { status: "accepted", turn: 1 };
    },
    tell: (text) => void lines.push(text),
  };
  const clock = { now: 0 };
  const intake = new EventIntake({
    plugin: "demo",
    rights: ["wake", "notify"],
    platforms: ["pigeon"],
    turnsPerMinute: 6,
    sessions: new Map([["s1", session]]),
    inbox: undefined,
    clean: (text) => text.replaceAll("12345:abc", "[secret]"),
    report: (line) => void reports.push(line),
    signal: new AbortController().signal,
    now: () => clock.now,
    ...options,
  });
  return { intake, reports, lines, clock };
}

function message(id: string) {
  const body: InboundMessage = { platform: "pigeon", id, chat: "c", user: "u", text: "" };
  return { kind: "message", message: body };
}

const NOTICE = { kind: "notice", notice: { sessionId: "s1", text: "x" } };

Deno.test("lines beyond the rate are dropped, and named once a minute", async () => {
  const { intake, reports, lines, clock } = setUp();
  const push = async (count: number) => {
    for (let i = 0; i < count; i++) await intake.take(NOTICE);
  };
  await push(200);
  assert.equal(lines.length, 120);
  assert.equal(reports.length, 1);
  clock.now += 59_999;
  await push(200);
  assert.equal(reports.length, 1);
  clock.now += 60_000;
  await push(200);
  assert.equal(reports.length, 2);
  assert.equal(
    reports[1],
    "Plugin demo: it pushes too much: more than 120 lines a minute are dropped",
  );
});

Deno.test("messages beyond the rate wait, none is lost, and the flood is named", async () => {
  const stored: string[] = [];
  const inbox = {
    deliver({ id }: InboundMessage) {
      stored.push(id);
      return Promise.resolve({ status: "accepted" } as const);
    },
  };
  const { intake, reports } = setUp({ inbox });
  const all = Array.from({ length: MESSAGES.capacity + 1 }, (_, i) => intake.take(message(`${i}`)));
  await all.at(-2);
  assert.equal(stored.length, MESSAGES.capacity);
  assert.deepEqual(await all.at(-1), { status: "accepted" });
  assert.deepEqual(reports, [
    "Plugin demo: it pushes too much: more than 600 messages a minute have to wait",
  ]);
});

Deno.test("what waits is refused when hermes ends", async () => {
  const abort = new AbortController();
  const inbox = { deliver: () => new Promise<never>(() => {}) };
  const { intake } = setUp({ inbox, signal: abort.signal });
  const answers = [intake.take(message("1")), intake.take(message("2"))];
  abort.abort(new Error("hermes ends"));
  const refused = { status: "rejected", reason: "hermes ends", retry: true };
  assert.deepEqual(await Promise.all(answers), [refused, refused]);
  await intake.settled;
});

Deno.test("without an inbox a message is refused with a reason", async () => {
  const { intake } = setUp();
  assert.deepEqual(await intake.take(message("1")), {
    status: "rejected",
    reason: "hermes takes no messages from chats here",
    retry: false,
  });
});

Deno.test("a secret that a plugin repeats reaches neither the model nor those who watch", async () => {
  const { intake, lines } = setUp();
  const text = "my token is 12345:abc";
  await intake.take({ kind: "wake", request: { sessionId: "s1", text } });
  await intake.take({ kind: "notice", notice: { sessionId: "s1", text } });
  assert.match(lines[0]!, /my token is \[secret\]/);
  assert.equal(lines[1], "demo: my token is [secret]");
});
