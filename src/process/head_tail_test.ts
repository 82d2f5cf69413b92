import { equal, ok } from "node:assert/strict";
import { HeadTail } from "./head_tail.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("HeadTail keeps everything up to its limit", () => {
  const capture = new HeadTail(10);
  equal(capture.push(bytes("01234")), "01234");
  capture.push(bytes("56789"));
  const { text, totalBytes, truncated } = capture.finish();
  equal(text, "0123456789");
  equal(totalBytes, 10);
  equal(truncated, false);
});

Deno.test("HeadTail keeps 40 % head and 60 % tail beyond its limit", () => {
  const capture = new HeadTail(10);
  for (const char of "0123456789abcdefghij") capture.push(bytes(char));
  const { text, truncated } = capture.finish();
  equal(text, "0123\n\n... [OUTPUT TRUNCATED - 10 chars omitted out of 20 total] ...\n\nefghij");
  equal(truncated, true);
});

Deno.test("HeadTail works with limits of nothing and of one", () => {
  for (const limit of [0, 1]) {
    const capture = new HeadTail(limit);
    capture.push(bytes("abc"));
    capture.push(bytes("def"));
    const { text } = capture.finish();
    ok(text.startsWith(limit === 1 ? "a\n" : "\n"), text);
    ok(text.includes(`${6 - limit} chars omitted`), text);
  }
});

Deno.test("HeadTail does not mind how the output was cut into chunks", () => {
  const whole = bytes("é日本😀".repeat(500));
  const results = [1, 2, 3, 7, 64, 5000].map((size) => {
    const capture = new HeadTail(700);
    for (let i = 0; i < whole.length; i += size) capture.push(whole.subarray(i, i + size));
    return capture.finish().text;
  });
  for (const text of results) equal(text, results[0]);
});
