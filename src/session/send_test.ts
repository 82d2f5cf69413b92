import { deepEqual, equal, rejects } from "node:assert/strict";
import type { TurnResult } from "../agent/types.ts";
import type { AgentEvent, EventBody } from "../protocol/event.ts";
import type { Acknowledgement } from "../protocol/operation.ts";
import { EventFeed } from "./event_feed.ts";
import { type FollowedTurn, sendTurn } from "./send.ts";

const RESULT: TurnResult = { reason: "done", text: "hi", iterations: 1 };

/** A feed and the turns that were submitted to it; the test plays the session. */
function createParts(acknowledgement: Acknowledgement = { status: "accepted", turn: 1 }) {
  const feed = new EventFeed(() => {
    throw new Error("no snapshot here");
  });
  let seq = 0;
  const turns: FollowedTurn[] = [];
  return {
    turns,
    feed,
    emit(body: EventBody) {
      const event: AgentEvent = { ...body, ts: "", sessionId: "s", seq: ++seq };
      feed.publish(event);
    },
    parts: {
      subscribe: () => feed.subscribe({ snapshot: false, limit: Infinity }),
      submit(turn: FollowedTurn) {
        turns.push(turn);
        return acknowledgement;
      },
    },
  };
}

const signal = new AbortController().signal;

function start(turn: number): EventBody {
  return { type: "turn_start", turn, input: [] };
}

function end(turn: number): EventBody {
  return { type: "turn_end", turn, ...RESULT };
}

Deno.test("sendTurn() yields the events of its own turn, in order, and its result", async () => {
  const { parts, turns, emit } = createParts({ status: "queued", position: 1 });
  const events = sendTurn(parts, { signal });
  const first = events.next();
  // A turn that ran before.
  emit(end(1));
  turns[0]!.onStart!(2);
  emit(start(2));
  emit({ type: "notice", text: "x" });
  emit(end(2));
  turns[0]!.onEnd!(RESULT);
  const seen: (string | undefined)[] = [];
  let step = await first;
  while (!step.done) {
    seen.push(step.value.type);
    step = await events.next();
  }
  deepEqual([seen, step.value], [["turn_start", "notice", "turn_end"], RESULT]);
});

Deno.test("sendTurn() interrupts a turn that its consumer leaves, and waits for its end", async () => {
  const { parts, turns, emit, feed } = createParts();
  const events = sendTurn(parts, { signal });
  const first = events.next();
  turns[0]!.onStart!(1);
  emit(start(1));
  await first;
  const left = events.return(RESULT);
  await new Promise((resolve) => turns[0]!.signal!.addEventListener("abort", resolve));
  turns[0]!.onEnd!({ ...RESULT, reason: "interrupted" });
  await left;
  equal(feed.listeners, 0);
});

Deno.test("sendTurn() throws what stopped the turn: a refusal, a broken store, the end", async () => {
  const refused = createParts({ status: "rejected", reason: "the session is closed" });
  await rejects(sendTurn(refused.parts, { signal }).next(), /the session is closed/);
  equal(refused.feed.listeners, 0);
  const broken = createParts();
  const next = sendTurn(broken.parts, { signal }).next();
  broken.turns[0]!.onFailure!(new Error("disk full"));
  await rejects(next, /disk full/);
  const dropped = createParts({ status: "queued", position: 1 });
  const waiting = sendTurn(dropped.parts, { signal }).next();
  dropped.turns[0]!.onDrop!();
  await rejects(waiting, /the session is closed/);
});
