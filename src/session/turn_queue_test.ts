import { deepEqual, equal } from "node:assert/strict";
import type { EventBody } from "../protocol/event.ts";
import { TurnQueue, type TurnRequest } from "./turn_queue.ts";

function words(text: string): TurnRequest {
  return { content: [{ type: "text", text }] };
}

/** A queue whose turns end when the test says so, or when they are interrupted. */
function createQueue(limit?: number) {
  const ran: string[] = [];
  const steered: string[] = [];
  const events: EventBody[] = [];
  const failures: unknown[] = [];
  let end: (error?: unknown) => void = () => {};
  const queue = new TurnQueue({
    async run({ content = [] }, signal) {
      const text = content.map((part) => part.type === "text" ? part.text : "").join("");
      const done = Promise.withResolvers<void>();
      end = (error) => error === undefined ? done.resolve() : done.reject(error);
      signal.addEventListener("abort", () => done.resolve(), { once: true });
      await done.promise;
      ran.push(signal.aborted ? `${text} (interrupted)` : text);
    },
    steer(text) {
      if (steered.length >= 2) return { status: "rejected", reason: "enough" };
      steered.push(text);
      return { status: "accepted" };
    },
    emit: (event) => events.push(event),
    onFailure: (error) => failures.push(error),
    ...(limit === undefined ? {} : { limit }),
  });
  const settle = () => new Promise<void>((resolve) => queueMicrotask(() => resolve()));
  const finish = async (error?: unknown) => {
    end(error);
    for (let i = 0; i < 5; i++) await settle();
  };
  return { queue, ran, steered, events, failures, finish };
}

Deno.test("submit() runs one turn after the other, in order", async () => {
  const { queue, ran, events, finish } = createQueue();
  deepEqual(queue.submit(words("a")), { status: "accepted", turn: 1 });
  deepEqual(queue.submit(words("b")), { status: "queued", position: 1 });
  deepEqual(queue.submit(words("c")), { status: "queued", position: 2 });
  equal(queue.queued.length, 2);
  await finish();
  await finish();
  await finish();
  await queue.idle;
  deepEqual(ran, ["a", "b", "c"]);
  equal(queue.isRunning, false);
  deepEqual(events.map((event) => event.type === "queue" ? event.position : -1), [1, 2, 0, 0]);
  deepEqual(queue.submit(words("d")), { status: "accepted", turn: 4 });
  await finish();
});

Deno.test("submit() steers, interrupts or refuses while a turn runs, as it is asked", async () => {
  const { queue, ran, steered, finish } = createQueue();
  queue.submit(words("a"));
  deepEqual(queue.submit(words("left"), "steer"), { status: "accepted", turn: 1 });
  deepEqual(steered, ["left"]);
  queue.submit(words("right"), "steer");
  deepEqual(queue.submit(words("more"), "steer"), { status: "rejected", reason: "enough" });
  deepEqual(queue.submit(words("x"), "reject"), {
    status: "rejected",
    reason: "a turn is running",
  });
  queue.submit(words("later"));
  deepEqual(queue.submit(words("now"), "interrupt"), { status: "queued", position: 1 });
  await finish();
  await finish();
  await finish();
  deepEqual(ran, ["a (interrupted)", "now", "later"]);
});

Deno.test("submit() lets an image that should steer wait for its own turn", async () => {
  const { queue, finish } = createQueue();
  queue.submit(words("a"));
  const image = { type: "image", mediaType: "image/png", ref: "sha256:0" } as const;
  equal(queue.submit({ content: [image] }, "steer").status, "queued");
  await finish();
  await finish();
});

Deno.test("submit() refuses more than may wait, and everything once closed", async () => {
  const { queue, finish } = createQueue(1);
  queue.submit(words("a"));
  queue.submit(words("b"));
  deepEqual(queue.submit(words("c")), { status: "rejected", reason: "1 inputs wait already" });
  deepEqual(queue.close(), [[{ type: "text", text: "b" }]]);
  deepEqual(queue.submit(words("d")), { status: "rejected", reason: "the session is closed" });
  equal(queue.interrupt("closing"), true);
  await finish();
  await queue.idle;
});

Deno.test("a turn that cannot be stored ends the queue", async () => {
  const { queue, failures, finish } = createQueue();
  queue.submit(words("a"));
  queue.submit(words("b"));
  await finish(new Error("disk full"));
  await queue.idle;
  deepEqual(failures.map(String), ["Error: disk full"]);
  equal(queue.submit(words("c")).status, "rejected");
});

Deno.test("submit() with the wish to interrupt takes no more than may wait", async () => {
  const { queue, ran, finish } = createQueue(2);
  queue.submit(words("a"));
  const answers = ["b", "c", "d"].map((text) => queue.submit(words(text), "interrupt").status);
  deepEqual(answers, ["queued", "queued", "rejected"]);
  for (let i = 0; i < 3; i++) await finish();
  deepEqual(ran, ["a (interrupted)", "c", "b"]);
});
