import { deepEqual, equal, match } from "node:assert/strict";
import { LineWatcher, NoticeBreaker } from "./_watch.ts";

function clock(): { now: () => number; advance: (ms: number) => void } {
  let time = 1_000_000;
  return { now: () => time, advance: (ms) => void (time += ms) };
}

Deno.test("LineWatcher tells whole lines that contain a pattern", () => {
  const { now } = clock();
  const watcher = new LineWatcher(["ERROR", "listening"], now);
  equal(watcher.push("starting\nconnec"), undefined);
  equal(watcher.push("ted\nERR"), undefined);
  equal(
    watcher.push("OR: disk\nserver listening on 80\nmore\n"),
    "ERROR: disk\nserver listening on 80",
  );
});

Deno.test("LineWatcher tells a prompt without a line end, once", () => {
  const { now, advance } = clock();
  const watcher = new LineWatcher(["Password:"], now);
  equal(watcher.push("Password: "), "Password: ");
  advance(20_000);
  equal(watcher.push("***\n"), undefined);
  equal(watcher.push("Password: "), "Password: ");
});

Deno.test("LineWatcher is silent for 15 s after an answer and then says how much it missed", () => {
  const { now, advance } = clock();
  const watcher = new LineWatcher(["x"], now);
  equal(watcher.push("x1\n"), "x1");
  advance(14_000);
  equal(watcher.push("x2\nx3\n"), undefined);
  advance(1_000);
  equal(watcher.push("x4\n"), "x4\n(2 earlier matches not shown)");
});

Deno.test("LineWatcher is exhausted after three windows in a row with too much to tell", () => {
  const { now, advance } = clock();
  const watcher = new LineWatcher(["x"], now);
  for (let round = 0; round < 3; round++) {
    equal(watcher.exhausted, false);
    watcher.push("x\n");
    watcher.push("x\nx\n");
    watcher.push("x\n");
    advance(15_000);
  }
  equal(watcher.exhausted, true);
});

Deno.test("LineWatcher forgives after a quiet window", () => {
  const { now, advance } = clock();
  const watcher = new LineWatcher(["x"], now);
  for (let round = 0; round < 10; round++) {
    watcher.push("x\n");
    if (round % 3 !== 2) watcher.push("x\n");
    advance(15_000);
  }
  equal(watcher.exhausted, false);
});

Deno.test("LineWatcher bounds what it tells", () => {
  const { now, advance } = clock();
  const watcher = new LineWatcher(["x"], now);
  equal(watcher.push("x\n".repeat(100))?.split("\n").length, 20);
  advance(20_000);
  equal(watcher.push(`x${"y".repeat(9000)}\n`)?.length, 2000);
});

Deno.test("NoticeBreaker mutes for 30 s after more than 15 notices in 10 s", () => {
  const { now, advance } = clock();
  const breaker = new NoticeBreaker(now);
  for (let i = 0; i < 15; i++) deepEqual(breaker.admit(`n${i}`), [`n${i}`]);
  match(breaker.admit("one too many")[0]!, /muted for 30 s/);
  deepEqual(breaker.admit("muted"), []);
  advance(29_999);
  deepEqual(breaker.admit("still muted"), []);
  advance(1);
  deepEqual(breaker.admit("back"), ["[Watch notices are on again; 3 were dropped]", "back"]);
  deepEqual(breaker.admit("next"), ["next"]);
});

Deno.test("NoticeBreaker lets a steady trickle through", () => {
  const { now, advance } = clock();
  const breaker = new NoticeBreaker(now);
  for (let i = 0; i < 100; i++) {
    deepEqual(breaker.admit("n"), ["n"]);
    advance(700);
  }
});
