import { deepStrictEqual, match } from "node:assert/strict";
import { decodeKeys } from "./keys.ts";
import { Select, type SelectStep } from "./select.ts";

function press(select: Select, keys: string): SelectStep {
  let step: SelectStep = { kind: "open" };
  for (const key of decodeKeys(keys)) step = select.onKey(key);
  return step;
}

Deno.test("decodeKeys() names arrows, enter and plain characters", () => {
  deepStrictEqual(decodeKeys("\x1b[A\x1b[B2\r\x03é"), ["up", "down", "2", "enter", "ctrl-c", "é"]);
});

Deno.test("Select moves with arrows, wraps round and confirms with enter", () => {
  const select = new Select({ choices: ["a", "b", "c"] });
  deepStrictEqual(press(select, "\x1b[A\r"), { kind: "chosen", indexes: [2] });
  match(select.render()[2]!, /^❯ 3\. c$/);
});

Deno.test("Select only moves to a number, and enter confirms it", () => {
  const select = new Select({ choices: ["a", "b", "c"] });
  deepStrictEqual(press(select, "2"), { kind: "open" });
  match(select.render()[1]!, /^❯ 2\. b$/);
  deepStrictEqual(press(select, "7"), { kind: "open" });
  deepStrictEqual(press(select, "\r"), { kind: "chosen", indexes: [1] });
});

Deno.test("Select takes a shortcut at once and shows what it chose", () => {
  const select = new Select({ choices: ["yes", "no"], start: 1, shortcuts: { y: 0, n: 1 } });
  deepStrictEqual(press(select, "x"), { kind: "open" });
  deepStrictEqual(press(select, "y"), { kind: "chosen", indexes: [0] });
  match(select.render()[0]!, /^❯ 1\. yes$/);
});

Deno.test("Select marks several with space and gives them in order", () => {
  const select = new Select({ choices: ["a", "b", "c"], multi: true });
  deepStrictEqual(press(select, "3\x1b[A \r"), { kind: "chosen", indexes: [1, 2] });
});

Deno.test("Select is cancelled by escape and Ctrl-C", () => {
  for (const key of ["\x1b", "\x03"]) {
    deepStrictEqual(press(new Select({ choices: ["a"] }), key), {
      kind: "cancelled",
    });
  }
});
