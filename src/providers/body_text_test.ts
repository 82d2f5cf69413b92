import assert from "node:assert/strict";
import { createBodyWriter } from "./body_text.ts";

Deno.test("createBodyWriter() writes what JSON.stringify would, also the second time", () => {
  const write = createBodyWriter();
  const messages: unknown[] = [{ role: "user", content: 'a "b" … \ud83d\ude00' }];
  const body = { model: "m", stream: true, stop: ["x", null], missing: undefined, messages, n: [] };
  assert.equal(write(body), JSON.stringify(body));
  messages.push({ role: "tool", content: [{ deep: [1, undefined] }] });
  assert.equal(write(body), JSON.stringify(body));
});
