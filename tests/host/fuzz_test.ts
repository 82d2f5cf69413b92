/** 200 sessions of one process, random operations, listeners that come, go and dawdle; under a seed. */
import { deepEqual, equal } from "node:assert/strict";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { BUSY_POLICIES, type Operation } from "../../src/protocol/operation.ts";
import type { ModelRequest } from "../../src/protocol/provider.ts";
import type { FeedItem, Subscription } from "../../src/session/event_feed.ts";
import type { Session } from "../../src/session/session.ts";
import type { ScriptedReply } from "../support/scripted_provider.ts";
import { input, openTestHost } from "../support/test_host.ts";
import { textOf, Truth } from "./fuzz_model.ts";

const SEED = Number(Deno.env.get("HERMES_FUZZ_SEED") ?? 20_260_101);
const SESSIONS = 200;
const OPERATIONS = 3_000;
const SURFACE = { headless: false, questions: "all", busy: "queue", wake: "turn" } as const;

/** The same numbers for the same seed. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(this.#state / 2 ** 32 * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

interface Watcher {
  feed: Subscription;
  seen: FeedItem[];
  hasLeft: boolean;
  joinedAt: number | undefined;
  /** Resolves when the listener has read everything it will get. */
  read?: Promise<void>;
}

/** One session and everything that was done to it. */
class Subject {
  readonly session: Session;
  readonly #random: Random;
  readonly #events: AgentEvent[] = [];
  readonly #all: Promise<void>;
  readonly watchers: Watcher[] = [];
  /** What was accepted as a turn of its own, at once or later. */
  readonly taken: string[] = [];
  #count = 0;

  constructor(session: Session, random: Random) {
    this.session = session;
    this.#random = random;
    this.#all = this.#record();
  }

  async #record(): Promise<void> {
    for await (const item of this.session.subscribe({ snapshot: false, limit: Infinity })) {
      if (item.type === "event") this.#events.push(item.event);
    }
  }

  act(): void {
    const random = this.#random;
    const { session } = this;
    const what = random.below(100);
    if (what < 40) return this.#type();
    if (what < 52) this.#submit({ op: "interrupt" });
    else if (what < 60) this.#submit({ op: "steer", text: "steering" });
    else if (what < 72) this.#answer();
    else if (what < 76) this.#submit({ op: "set_model", model: `model-${random.below(3)}` });
    else if (what < 80) this.#wake();
    else if (what < 90) this.watch();
    else if (what < 98) this.#leave();
    else if (random.below(20) === 0) session.submit({ op: "close" });
  }

  #type(): void {
    const kind = this.#random.pick(["say", "say", "say", "ask", "hang", "long"]);
    const text = `${kind} ${++this.#count}`;
    const operation = input(text, {
      busy: this.#random.pick(BUSY_POLICIES),
      by: "tester",
    });
    const wasRunning = this.session.isRunning;
    const { status } = this.session.submit(operation);
    const isOwnTurn = status === "queued" || (status === "accepted" && !wasRunning);
    if (isOwnTurn) this.taken.push(text);
  }

  #wake(): void {
    this.session.wake(`wake ${++this.#count}`);
  }

  #submit(operation: Operation): void {
    this.session.submit(operation);
  }

  #answer(): void {
    const question = this.session.questions.list().at(0);
    if (question === undefined) return;
    const operation: Operation = {
      op: "answer",
      questionId: question.id,
      answer: { kind: "clarify", answers: [["yes"]] },
    };
    equal(this.session.submit({ ...operation, by: "first" }).status, "accepted");
    equal(this.session.submit({ ...operation, by: "second" }).status, "rejected");
  }

  /** A listener: quick, or one that reads only at the very end. */
  watch(): void {
    const limit = this.#random.pick([1, 5, 1_000]);
    const snapshot = this.#random.below(2) === 0;
    const joinedAt = snapshot ? undefined : this.session.seq;
    const feed = this.session.subscribe({ limit, snapshot });
    const watcher: Watcher = { feed, seen: [], hasLeft: false, joinedAt };
    if (this.#random.below(2) === 0) watcher.read = read(watcher);
    this.watchers.push(watcher);
  }

  #leave(): void {
    const staying = this.watchers.filter(({ hasLeft }) => !hasLeft);
    if (staying.length === 0) return;
    const watcher = this.#random.pick(staying);
    watcher.hasLeft = true;
    watcher.feed.close();
  }

  /** Ends everything and says what was wrong. */
  async verify(): Promise<string[]> {
    await this.#all;
    for (const watcher of this.watchers) await (watcher.read ?? read(watcher));
    const { id } = this.session;
    const truth = new Truth(this.#events);
    const problems = [truth.problem(id)];
    for (const { seen, hasLeft, joinedAt } of this.watchers) {
      problems.push(truth.problemOf(seen, { end: hasLeft ? "left" : "closed", joinedAt }));
    }
    problems.push(truth.problemWith(this.taken));
    return problems.flatMap((problem) => problem === undefined ? [] : [`${id}: ${problem}`]);
  }
}

async function read(watcher: Watcher): Promise<void> {
  for await (const item of watcher.feed) watcher.seen.push(item);
}

/** Answers with everything that was said, some hops later, or asks, or waits for the interrupt. */
async function reply(request: ModelRequest, random: Random): Promise<ScriptedReply> {
  const said = request.messages.flatMap((one) => one.role === "user" ? [textOf(one.content)] : []);
  const last = said.at(-1) ?? "";
  for (let hops = random.below(4); hops > 0; hops--) await Promise.resolve();
  if (random.below(3) === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  const marker = /Session marker: (\w+)/.exec(request.system)![1]!;
  const text = [marker, ...said].join("|");
  if (last.startsWith("hang")) return { text, hang: true };
  if (last.startsWith("ask") && request.messages.at(-1)?.role !== "tool") {
    return { calls: [{ name: "clarify", arguments: { question: "Really?" } }] };
  }
  return last.startsWith("long") ? { text, reasoning: "thinking" } : { text };
}

Deno.test(`sessions, operations and listeners at random (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  const markers = new Map<string, string>();
  await using bench = await openTestHost({
    surfaces: { fuzz: SURFACE },
    respond: async (request) => {
      const answer = await reply(request, random);
      const { text } = answer;
      const [marker = ""] = text?.split("|") ?? [];
      return text === undefined
        ? answer
        : { ...answer, text: text.replace(marker, markers.get(marker)!) };
    },
  });
  const subjects: Subject[] = [];
  for (let i = 0; i < SESSIONS; i++) {
    const { session } = await bench.host.open({
      surface: "fuzz",
      storage: "none",
      toolsets: { enabled: ["clarify"] },
      prompt: `Session marker: m${i}`,
    });
    markers.set(`m${i}`, session.id);
    subjects.push(new Subject(session, random));
  }
  for (let i = 0; i < OPERATIONS; i++) {
    random.pick(subjects).act();
    if (random.below(4) === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await bench.host.close({ graceMs: 5 });
  const problems = (await Promise.all(subjects.map((subject) => subject.verify()))).flat();
  deepEqual(problems.slice(0, 10), []);
  const turns = subjects.reduce((sum, { taken }) => sum + taken.length, 0);
  // Not a test of nothing.
  equal(turns > SESSIONS, true, `${turns} turns`);
});
