import assert from "node:assert/strict";
import { readEvent } from "./events.ts";

const MESSAGE = { platform: "p", id: "1", chat: "c", user: "u", text: "hi" };

function message(more: Record<string, unknown>) {
  return readEvent({ kind: "message", message: { ...MESSAGE, ...more } });
}

Deno.test("readEvent() keeps what an event may have, and nothing else", () => {
  assert.deepEqual(
    message({
      thread: "t",
      userName: "\x1b[31mAda",
      replyTo: "0",
      group: true,
      mentioned: "yes",
      admin: true,
      attachments: [{ name: "a.png", mediaType: "image/png", data: "AAEC", path: "/etc" }],
    }),
    {
      kind: "message",
      message: {
        ...MESSAGE,
        thread: "t",
        userName: "Ada",
        replyTo: "0",
        group: true,
        attachments: [{ name: "a.png", mediaType: "image/png", data: "AAEC" }],
      },
    },
  );
  assert.deepEqual(
    readEvent({ kind: "wake", request: { sessionId: "s", text: "x", op: "close" } }),
    {
      kind: "wake",
      request: { sessionId: "s", text: "x", busy: "queue" },
    },
  );
});

Deno.test("readEvent() says what is wrong with anything else", () => {
  const cases: [unknown, RegExp][] = [
    [undefined, /no such event/],
    [{ kind: "approve" }, /no such event/],
    [{ kind: "message" }, /platform must be text/],
    [{ kind: "wake", request: { sessionId: 7, text: "x" } }, /sessionId must be text/],
    [{ kind: "wake", request: { sessionId: "s", text: "x".repeat(20_001) } }, /at most 20000/],
    [{ kind: "notice", notice: { sessionId: "s" } }, /text must be text/],
  ];
  for (const [value, says] of cases) {
    assert.match(String(readEvent(value)), says);
  }
  assert.match(String(message({ text: "x".repeat(100_001) })), /text .* at most 100000/);
  assert.match(String(message({ chat: "x".repeat(257) })), /chat must be text of 1 to 256/);
  assert.match(String(message({ thread: 5 })), /thread/);
  assert.match(String(message({ attachments: {} })), /attachments must be a list/);
  const attached = (item: object) => String(message({ attachments: [item] }));
  assert.match(attached({ name: "a", mediaType: "x", data: "" }), /mediaType/);
  assert.match(attached({ name: "a", mediaType: "a/b", data: "###" }), /base64/);
  assert.match(attached({ mediaType: "a/b", data: "" }), /name must be text/);
  const large = "A".repeat(6_000_000);
  const two = [1, 2].map((n) => ({ name: `${n}`, mediaType: "a/b", data: large }));
  assert.match(String(message({ attachments: two })), /longer than 10000000 characters/);
});
