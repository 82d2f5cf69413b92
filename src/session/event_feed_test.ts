import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { AgentEvent } from "../protocol/event.ts";
import { zeroUsage } from "../protocol/message.ts";
import type { Snapshot } from "../protocol/snapshot.ts";
import { EventFeed, type FeedItem } from "./event_feed.ts";

/** A feed whose snapshot is the number of the last event. */
function createFeed() {
  let seq = 0;
  const snapshot = (): Snapshot => ({
    sessionId: "s",
    seq,
    provider: "p",
    model: "m",
    cwd: "/",
    usage: zeroUsage(),
    transcript: [],
    questions: [],
    queued: [],
  });
  const feed = new EventFeed(snapshot);
  const publish = () => {
    const event: AgentEvent = { type: "notice", text: "x", ts: "", sessionId: "s", seq: ++seq };
    feed.publish(event);
  };
  return { feed, publish };
}

function shown(item: FeedItem): string {
  if (item.type === "snapshot") return `snapshot ${item.snapshot.seq}`;
  return item.type === "event" ? `${item.event.seq}` : `missed ${item.count}`;
}

Deno.test("subscribe() gives a snapshot and then every event once, in order", async () => {
  const { feed, publish } = createFeed();
  publish();
  publish();
  const listener = feed.subscribe();
  publish();
  const seen: string[] = [];
  for await (const item of listener) {
    seen.push(shown(item));
    if (seen.length === 1) {
      publish();
      publish();
    }
    if (seen.length === 3) feed.end();
  }
  deepEqual(seen, ["snapshot 3", "4", "5"]);
});

Deno.test("a listener that does not keep up is told what it missed and starts anew", async () => {
  const { feed, publish } = createFeed();
  const slow = feed.subscribe({ limit: 3, snapshot: false })[Symbol.asyncIterator]();
  const quick = feed.subscribe({ snapshot: false })[Symbol.asyncIterator]();
  for (let i = 0; i < 5; i++) publish();
  const next = async (from: typeof slow) => shown((await from.next()).value as FeedItem);
  equal(await next(slow), "missed 5");
  equal(await next(slow), "snapshot 5");
  publish();
  equal(await next(slow), "6");
  for (let i = 1; i <= 6; i++) equal(await next(quick), `${i}`);
  feed.end();
  equal((await slow.next()).done, true);
});

Deno.test("close() ends a listener and frees its place; others go on", async () => {
  const { feed, publish } = createFeed();
  const [a, b] = [feed.subscribe({ snapshot: false }), feed.subscribe({ snapshot: false })];
  publish();
  a.close();
  publish();
  deepEqual(await Array.fromAsync(a), []);
  equal(feed.listeners, 1);
  feed.end();
  deepEqual((await Array.fromAsync(b)).map(shown), ["1", "2"]);
});

Deno.test("subscribe() after the end gives the last snapshot and nothing more", async () => {
  const { feed, publish } = createFeed();
  publish();
  feed.end();
  deepEqual((await Array.fromAsync(feed.subscribe())).map(shown), ["snapshot 1"]);
});

Deno.test("a listener that throws or leaves in the middle is forgotten, and no other notices", async () => {
  const { feed, publish } = createFeed();
  const seen: string[] = [];
  const stays = (async () => {
    for await (const item of feed.subscribe({ snapshot: false })) seen.push(shown(item));
  })();
  const throws = (async () => {
    for await (const item of feed.subscribe({ snapshot: false })) throw new Error(shown(item));
  })();
  const leaves = (async () => {
    for await (const item of feed.subscribe({ snapshot: false })) return shown(item);
    return "nothing";
  })();
  const closing = feed.subscribe({ snapshot: false });
  const closes = (async () => {
    const all: string[] = [];
    for await (const item of closing) {
      all.push(shown(item));
      closing.close();
      closing.close();
    }
    return all;
  })();
  equal(feed.listeners, 4);
  publish();
  publish();
  await rejects(throws, /^Error: 1$/);
  deepEqual([await leaves, await closes], ["1", ["1"]]);
  equal(feed.listeners, 1);
  publish();
  feed.end();
  await stays;
  deepEqual(seen, ["1", "2", "3"]);
});

Deno.test("a listener that comes while another reads sees the same from then on", async () => {
  const { feed, publish } = createFeed();
  const late: Promise<FeedItem[]>[] = [];
  const seen: string[] = [];
  publish();
  for await (const item of feed.subscribe()) {
    seen.push(shown(item));
    if (seen.length === 1) {
      publish();
      late.push(Array.fromAsync(feed.subscribe()));
      publish();
    }
    if (seen.length === 3) feed.end();
  }
  deepEqual(seen, ["snapshot 1", "2", "3"]);
  deepEqual((await late[0]!).map(shown), ["snapshot 2", "3"]);
});

Deno.test("a listener that never reads holds no more than its limit", () => {
  const { feed, publish } = createFeed();
  const kept = [{ limit: 5 }, { limit: 5, snapshot: false }].map((options) =>
    feed.subscribe(options)
  );
  for (let i = 0; i < 10_000; i++) publish();
  for (const listener of kept) {
    ok(listener.waiting <= 5, `${listener.waiting} events wait`);
    listener.close();
  }
  equal(feed.listeners, 0);
});

Deno.test("a listener that reads late gets a long queue in order, and takes no longer for each event", async () => {
  const { feed, publish } = createFeed();
  const listener = feed.subscribe({ snapshot: false, limit: Infinity });
  const total = 100_000;
  for (let i = 0; i < total / 2; i++) publish();
  let seen = 0;
  const startedAt = performance.now();
  for await (const item of listener) {
    ok(item.type === "event" && item.event.seq === ++seen);
    if (seen <= total / 2) publish();
    equal(listener.waiting, Math.min(total, total / 2 + seen) - seen);
    if (seen === total) feed.end();
  }
  equal(seen, total);
  // Half a minute when each event moves all that wait behind it.
  ok(performance.now() - startedAt < 10_000);
});

Deno.test("a reader that leaves while it waits is let go at once", async () => {
  const { feed } = createFeed();
  const reader = feed.subscribe({ snapshot: false })[Symbol.asyncIterator]();
  const waiting = reader.next();
  deepEqual(await reader.return!(), { value: undefined, done: true });
  deepEqual(await waiting, { value: undefined, done: true });
  equal(feed.listeners, 0);
});

Deno.test("the count of what was missed has every event up to the snapshot", async () => {
  const { feed, publish } = createFeed();
  const reader = feed.subscribe({ snapshot: false, limit: 2 })[Symbol.asyncIterator]();
  for (let i = 0; i < 10; i++) publish();
  const items = [await reader.next(), await reader.next()].map(({ value }) => shown(value!));
  deepEqual(items, ["missed 10", "snapshot 10"]);
  await reader.return!();
});
