import assert from "node:assert/strict";
import { type AssistantMessage, toolCallsOf, withUniqueCallIds } from "./message.ts";

Deno.test("withUniqueCallIds() renames repeats in order and keeps the rest", () => {
  const ids = ["a", "a", "b", "a", "a_d2"];
  const message: AssistantMessage = {
    role: "assistant",
    content: [
      { type: "text", text: "hello" },
      ...ids.map((id) => ({ type: "tool_call" as const, id, name: "x", arguments: "{}" })),
    ],
    stopReason: "tool_calls",
    provider: "p",
    model: "m",
  };
  const unique = withUniqueCallIds(message);
  const expected = ["a", "a_d2", "b", "a_d3", "a_d2_d2"];
  assert.deepEqual(toolCallsOf(unique).map((call) => call.id), expected);
  assert.deepEqual(unique.content[0], message.content[0]);
  assert.deepEqual(withUniqueCallIds(unique), unique);
});
