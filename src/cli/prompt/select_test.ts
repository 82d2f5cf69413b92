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

Deno.test("Select takes a number at once", () => {
  const select = new Select({ choices: ["a", "b"] });
  deepStrictEqual(press(select, "2"), { kind: "chosen", indexes: [1] });
  deepStrictEqual(press(new Select({ choices: ["a"] }), "7"), { kind: "open" });
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
