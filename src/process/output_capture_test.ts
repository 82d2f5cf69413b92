import assert from "node:assert/strict";
import { OutputCapture } from "./output_capture.ts";

function captured(pieces: string[], maxBytes = 10, headShare = 0.4): OutputCapture {
  const capture = new OutputCapture({ maxBytes, headShare });
  for (const piece of pieces) capture.push(new TextEncoder().encode(piece));
  return capture;
}

Deno.test("text() gives everything that fits", () => {
  assert.equal(captured(["ab", "cdef", "ghij"]).text(), "abcdefghij");
  assert.equal(captured([]).text(), "");
});

Deno.test("text() keeps head and tail and counts what is missing", () => {
  const capture = captured(["0123456", "789abcdefghij", "klmnopqrst"]);
  assert.match(capture.text(), /^0123\n\[… 20 bytes of output left out[^\n]*\]\nopqrst$/);
  assert.equal(capture.totalBytes, 30);
  assert.match(captured(["0123456789", "x"], 10, 1).text(), /^0123456789\n\[… 1 bytes[^\n]*\n$/);
});

Deno.test("text() holds little of a flood", () => {
  const capture = new OutputCapture({ maxBytes: 100, headShare: 0.5 });
  const chunk = new Uint8Array(1000).fill(120);
  for (let i = 0; i < 1000; i++) capture.push(chunk);
  assert.equal(capture.totalBytes, 1_000_000);
  assert.ok(capture.text().length < 200);
});

Deno.test("text() drops terminal escapes and survives cut characters", () => {
  assert.equal(captured(["\x1b[31mred\x1b[0m \x1b]0;title\x07x"], 100).text(), "red x");
  assert.doesNotThrow(() => captured(["é".repeat(50)]).text());
});
