import assert from "node:assert/strict";
import type { PushEvent } from "../protocol/push.ts";
import { PushWindow } from "./guest_push.ts";
import type { GuestMessage } from "./messages.ts";

function notice(text: string): PushEvent {
  return { kind: "notice", notice: { sessionId: "s", text } };
}

function setUp() {
  const sent: (GuestMessage & { t: "event" })[] = [];
  const window = new PushWindow((message) => sent.push(message as GuestMessage & { t: "event" }));
  return { sent, window };
}

Deno.test("push() sends 64 events and the next with each acknowledgement, in order", async () => {
  const { sent, window } = setUp();
  const receipts = Array.from({ length: 70 }, (_, i) => window.push(notice(String(i))));
  assert.equal(sent.length, 64);
  window.acknowledge(sent[2]!.seq, { status: "accepted" });
  assert.equal(sent.length, 65);
  for (const { seq } of sent) window.acknowledge(seq, { status: "queued", position: seq });
  const texts = sent.map(({ event }) => event.kind === "notice" && event.notice.text);
  assert.deepEqual(texts, Array.from({ length: 70 }, (_, i) => String(i)));
  assert.deepEqual(await receipts[2], { status: "accepted" });
  assert.deepEqual(await receipts[0], { status: "queued", position: 1 });
  window.acknowledge(999, { status: "accepted" });
});

Deno.test("push() sends large events one at a time, and none that no frame holds", async () => {
  const { sent, window } = setUp();
  const large = "x".repeat(9_000_000);
  void window.push(notice(large));
  void window.push(notice(large));
  assert.equal(sent.length, 1);
  window.acknowledge(1, { status: "accepted" });
  assert.equal(sent.length, 2);
  await assert.rejects(window.push(notice("x".repeat(14_000_001))), /too large to push/);
});

Deno.test("push() refuses what would wait behind ten thousand others", async () => {
  const { window } = setUp();
  for (let i = 0; i < 10_064; i++) void window.push(notice(""));
  assert.deepEqual(await window.push(notice("")), {
    status: "rejected",
    reason: "10000 events wait already: wait for their receipts",
    retry: true,
  });
});
