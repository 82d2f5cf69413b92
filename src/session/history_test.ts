import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import type { Message } from "../protocol/message.ts";
import { missingResults, SessionHistory } from "./history.ts";

const USER: Message = { role: "user", content: [{ type: "text", text: "hi" }] };

function assistant(...ids: string[]): Message {
  return {
    role: "assistant",
    content: ids.map((id) => ({ type: "tool_call", id, name: "t", arguments: "{}" })),
    stopReason: "tool_calls",
    provider: "p",
    model: "m",
  };
}

Deno.test("SessionHistory keeps nothing in memory that could not be stored", () => {
  const history = new SessionHistory([], {
    append() {
      throw new Error("disk full");
    },
    discard() {},
  });
  throws(() => history.append(USER), /disk full/);
  strictEqual(history.messages().length, 0);
});

Deno.test("missingResults() answers exactly the calls a crash left open", () => {
  const messages: Message[] = [
    USER,
    assistant("a", "b"),
    { role: "tool", toolCallId: "a", name: "t", content: "{}", isError: false },
  ];
  const missing = missingResults(messages);
  deepStrictEqual(missing.map((m) => m.role === "tool" && m.toolCallId), ["b"]);
  deepStrictEqual(missingResults([...messages, ...missing]), []);
  const told = missingResults([USER, assistant("a", "b")], { notBegun: "b" }).map((m) =>
    String(m.content)
  );
  match(told[0]!, /unknown: check before repeating/);
  match(told[1]!, /It did not run/);
});
