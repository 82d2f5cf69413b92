import { deepEqual, equal } from "node:assert/strict";
import { Waker } from "./wake.ts";

function createWaker(policy: "turn" | "hold") {
  const state = { running: false, left: [] as string[], begun: [] as string[] };
  const waker = new Waker({
    policy,
    isRunning: () => state.running,
    begin(text) {
      state.begun.push(text);
      return { status: "accepted", turn: state.begun.length };
    },
    collect: () => state.left.splice(0),
  });
  return { waker, state };
}

Deno.test("wake() begins a turn with its text and what background work left behind", () => {
  const { waker, state } = createWaker("turn");
  state.left.push("a process ended");
  deepEqual(waker.wake("a file changed"), { status: "accepted", turn: 1 });
  deepEqual(state.begun, ["a file changed\n\na process ended"]);
  equal(waker.wake().status, "rejected");
});

Deno.test("wake() during a turn leaves the text to it; what it did not see begins another", () => {
  const { waker, state } = createWaker("turn");
  state.running = true;
  equal(waker.wake("one").status, "accepted");
  deepEqual(waker.drain(), ["one"]);
  waker.wake("two");
  equal(waker.late(), "two");
  equal(waker.late(), undefined);
  deepEqual(state.begun, []);
});

Deno.test("wake() of a session that holds waits for the next turn, up to a limit", () => {
  const { waker } = createWaker("hold");
  deepEqual(waker.wake("one"), { status: "queued", position: 1 });
  equal(waker.late(), undefined);
  for (let i = 0; i < 99; i++) waker.wake("more");
  equal(waker.wake("too much").status, "rejected");
  equal(waker.drain().length, 100);
});

Deno.test("wake() begins no more than 20 turns in a row; what it tells then is kept once", () => {
  const { waker, state } = createWaker("turn");
  for (let i = 0; i < 20; i++) equal(waker.wake("again").status, "accepted");
  deepEqual(waker.wake("the last"), { status: "queued", position: 1 });
  equal(state.begun.length, 20);
  deepEqual(waker.drain(), ["the last"]);
  waker.attended();
  equal(waker.wake("again").status, "accepted");
});
