/** Message parts of hostile answers: nothing in them makes the next request impossible. */
import assert from "node:assert/strict";
import { historyArguments, historyArgumentsText, PartsBuilder } from "./parts.ts";

Deno.test("historyArguments() leaves out what is nested too deep to be written again", () => {
  const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  assert.deepEqual(historyArguments(deep), {});
  assert.equal(historyArgumentsText(deep), "{}");
  assert.deepEqual(historyArguments('{"a":[[1]]}'), { a: [[1]] });
  assert.equal(historyArgumentsText('{ "a": 1 }'), '{ "a": 1 }');
});

Deno.test("toolCall() keeps the start of an endless name and the place of each call", () => {
  const parts = new PartsBuilder("call_1");
  const [first] = parts.toolCall("a", { name: "n".repeat(1_000_000) });
  const [second] = parts.toolCall("b", { name: "t", arguments: "{" });
  const [again] = parts.toolCall("a", { arguments: "{}" });
  const places = [first, second, again].map((event) =>
    event?.type === "tool_call_delta" && [event.index, event.name.length]
  );
  assert.deepEqual(places, [[0, 200], [1, 1], [0, 200]]);
});
