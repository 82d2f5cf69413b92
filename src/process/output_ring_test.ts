import { equal, ok } from "node:assert/strict";
import { OutputRing } from "./output_ring.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("OutputRing keeps the end and counts what it dropped", () => {
  const ring = new OutputRing(10_000);
  for (let i = 0; i < 10_000; i++) ring.push(bytes(`${i}\n`));
  const { text, droppedBytes, totalBytes } = ring.snapshot();
  equal(totalBytes, 48_890);
  equal(text.length, 10_000);
  equal(droppedBytes, 38_890);
  ok(text.endsWith("9998\n9999\n"));
});

Deno.test("OutputRing gives the same whatever the chunks were", () => {
  const whole = bytes("é日本😀 ".repeat(2_000));
  const expected = new TextDecoder().decode(whole).slice(-500);
  for (const size of [1, 3, 7, 64, 4_096, 6_000, 50_000]) {
    const ring = new OutputRing(6_000);
    for (let i = 0; i < whole.length; i += size) ring.push(whole.subarray(i, i + size));
    const { text } = ring.snapshot();
    ok(text.endsWith(expected), `chunks of ${size}`);
    ok(!text.includes("\uFFFD"), `chunks of ${size}`);
  }
});

Deno.test("OutputRing leaves out a character that is not complete yet", () => {
  const ring = new OutputRing(100);
  ring.push(bytes("a😀").subarray(0, 3));
  equal(ring.snapshot().text, "a");
  ring.push(bytes("a😀").subarray(3));
  equal(ring.snapshot().text, "a😀");
});

Deno.test("OutputRing takes a chunk larger than itself", () => {
  const ring = new OutputRing(10);
  ring.push(bytes("x".repeat(100) + "0123456789"));
  equal(ring.snapshot().text, "0123456789");
  ring.push(bytes("ab"));
  equal(ring.snapshot().text, "23456789ab");
  ring.push(new Uint8Array());
  equal(ring.snapshot().totalBytes, 112);
});

Deno.test("OutputRing of nothing only counts", () => {
  const ring = new OutputRing(0);
  ring.push(bytes("abc"));
  equal(ring.bytes().length, 0);
  equal(ring.snapshot().totalBytes, 3);
});
