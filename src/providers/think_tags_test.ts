import assert from "node:assert/strict";
import { ThinkTagSplitter } from "./think_tags.ts";

function split(pieces: string[]): { reasoning: string; text: string } {
  const splitter = new ThinkTagSplitter();
  const all = [...pieces.map((piece) => splitter.push(piece)), splitter.end()];
  return {
    reasoning: all.map((part) => part.reasoning).join(""),
    text: all.map((part) => part.text).join(""),
  };
}

Deno.test("ThinkTagSplitter.push() separates leading reasoning however it is cut", () => {
  const text = "\n<think>\nHm, 1 < 2.\n</think>\n\nThe answer is 2.";
  const expected = { reasoning: "Hm, 1 < 2.\n", text: "The answer is 2." };
  assert.deepEqual(split([text]), expected);
  assert.equal(split([...text]).reasoning.trim(), expected.reasoning.trim());
  assert.equal(split([...text]).text, expected.text);
});

Deno.test("ThinkTagSplitter.push() leaves other text alone", () => {
  for (const text of ["plain", "<", "<thi", "<b>bold</b>", "see <think>x</think>", "  lead", ""]) {
    assert.deepEqual(split([...text]), { reasoning: "", text });
  }
});

Deno.test("ThinkTagSplitter.end() takes an unclosed tag for reasoning", () => {
  assert.deepEqual(split(["<think>never", " ends"]), { reasoning: "never ends", text: "" });
});
