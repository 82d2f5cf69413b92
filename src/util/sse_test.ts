import assert from "node:assert/strict";
import { SseDecoder, type SseEvent } from "./sse.ts";

function decode(chunks: (string | Uint8Array)[]): SseEvent[] {
  const decoder = new SseDecoder();
  const encoder = new TextEncoder();
  const events = chunks.flatMap((chunk) =>
    decoder.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk)
  );
  return [...events, ...decoder.end()];
}

Deno.test("SseDecoder.push() joins data lines and keeps the event name of one event only", () => {
  const events = decode(["event: a\ndata: 1\ndata: 2\n\ndata:3\n\n"]);
  assert.deepEqual(events, [{ event: "a", data: "1\n2" }, { event: "", data: "3" }]);
});

Deno.test("SseDecoder.push() takes CRLF, CR and LF, also when cut inside a line break", () => {
  const expected = [{ event: "", data: "x" }, { event: "", data: "y" }];
  assert.deepEqual(decode(["data: x\r\n\r\ndata: y\r\n\r\n"]), expected);
  assert.deepEqual(decode(["data: x\r", "\n\r", "\ndata: y\r\n", "\r\n"]), expected);
  assert.deepEqual(decode(["data: x\r\rdata: y\r\r"]), expected);
});

Deno.test("SseDecoder.push() ignores comments, unknown fields and events without data", () => {
  const text = ": ping\n\nid: 4\nretry: 10\nevent: none\n\n: more\ndata: [DONE]\n\n";
  assert.deepEqual(decode([text]), [{ event: "", data: "[DONE]" }]);
});

Deno.test("SseDecoder.push() gives the same events for every way to cut the bytes", () => {
  const bytes = new TextEncoder().encode("event: é\r\ndata: naïve 🦊\r\n\r\ndata: 漢字\n\n");
  const whole = decode([bytes]);
  assert.deepEqual(whole.map((event) => event.data), ["naïve 🦊", "漢字"]);
  for (let size = 1; size < bytes.length; size++) {
    const chunks: Uint8Array[] = [];
    for (let i = 0; i < bytes.length; i += size) chunks.push(bytes.subarray(i, i + size));
    assert.deepEqual(decode(chunks), whole, `chunks of ${size}`);
  }
});

Deno.test("SseDecoder.push() puts a long line together that comes in many pieces", () => {
  const data = "0123456789".repeat(100_000);
  const text = `data: ${data}\n\n`;
  const pieces = Array.from({ length: 1000 }, (_, i) => text.slice(i * 1001, (i + 1) * 1001));
  assert.deepEqual(decode(pieces), [{ event: "", data }]);
});

Deno.test("SseDecoder.end() hands out an event that lacks its blank line", () => {
  assert.deepEqual(decode(["data: [DONE]"]), [{ event: "", data: "[DONE]" }]);
  assert.deepEqual(decode(["data: x\n"]), [{ event: "", data: "x" }]);
  assert.deepEqual(decode(["data: x\r"]), [{ event: "", data: "x" }]);
});

Deno.test("SseDecoder.push() refuses a line and an event beyond the limit", () => {
  const encoder = new TextEncoder();
  const line = new SseDecoder({ maxChars: 10 });
  assert.throws(() => line.push(encoder.encode("data: 0123456789")), RangeError);
  const event = new SseDecoder({ maxChars: 10 });
  event.push(encoder.encode("data: 01234\n"));
  assert.throws(() => event.push(encoder.encode("data: 56789a\n")), RangeError);
  for (const line of ["data:\n", "data: \n", "data\n", "data\r\n"]) {
    const lines = new SseDecoder({ maxChars: 10 });
    assert.throws(() => lines.push(encoder.encode(line.repeat(20))), RangeError, line);
  }
  const many = new SseDecoder();
  assert.throws(() => many.push(encoder.encode("data:\n".repeat(100_001))), RangeError);
});
