import assert from "node:assert/strict";
import { type ByteStream, FrameError, FrameWriter, parseFrame, readFrames } from "./frames.ts";

/** A stream that reads the given pieces and keeps what is written, a few bytes at a time. */
function streamOf(pieces: string[], options: { writeBytes?: number } = {}) {
  const encoded = pieces.map((piece) => new TextEncoder().encode(piece));
  const written: Uint8Array[] = [];
  const stream: ByteStream = {
    read(buffer) {
      const piece = encoded.shift();
      if (piece === undefined) return Promise.resolve(null);
      buffer.set(piece);
      return Promise.resolve(piece.length);
    },
    write(bytes) {
      const part = bytes.slice(0, options.writeBytes ?? bytes.length);
      written.push(part);
      return Promise.resolve(part.length);
    },
  };
  return { stream, written, text: async () => await new Blob(written as BlobPart[]).text() };
}

Deno.test("readFrames() joins what arrives in pieces and splits what arrives together", async () => {
  const { stream } = streamOf([`{"a":`, `1}\n{"b":2}\n{"c"`, `:3}\n`, `{"cut`]);
  const batches = await Array.fromAsync(readFrames(stream));
  assert.deepEqual(batches, [[`{"a":1}`, `{"b":2}`], [`{"c":3}`]]);
});

Deno.test("readFrames() keeps characters that are cut in the middle", async () => {
  const bytes = new TextEncoder().encode(`"é€😀"\n`);
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  const stream: ByteStream = {
    read(buffer) {
      const piece = pieces.shift();
      if (piece !== undefined) buffer.set(piece);
      return Promise.resolve(piece?.length ?? null);
    },
    write: () => Promise.reject(new Error("not used")),
  };
  assert.deepEqual(await Array.fromAsync(readFrames(stream)), [[`"é€😀"`]]);
});

Deno.test("readFrames() refuses a frame without end", async () => {
  const endless: ByteStream = {
    read: (buffer) => Promise.resolve(buffer.fill(120).length),
    write: () => Promise.reject(new Error("not used")),
  };
  await assert.rejects(Array.fromAsync(readFrames(endless)), FrameError);
  const greeting = readFrames(endless, { firstFrameBytes: 10 });
  await assert.rejects(greeting.next(), /larger than 10 bytes/);
});

Deno.test("parseFrame() takes objects only", () => {
  assert.deepEqual(parseFrame(`{"t":1}`), { t: 1 });
  for (const line of ["", "x", "1", "null", `"text"`]) {
    assert.throws(() => parseFrame(line), FrameError, line);
  }
});

Deno.test("parseFrame() refuses a frame that is nested too deep", () => {
  const nested = (open: string, close: string, levels: number) =>
    `{"t":"call","args":${open.repeat(levels)}0${close.repeat(levels)}}`;
  for (const [open, close] of [["[", "]"], ['{"a":', "}"]] as const) {
    const message = "a frame is nested deeper than 500 levels";
    assert.throws(() => parseFrame(nested(open, close, 500)), { name: "FrameError", message });
    assert.throws(() => parseFrame(nested(open, close, 200_000)), { name: "FrameError", message });
    assert.equal(parseFrame(nested(open, close, 499)).t, "call");
  }
});

Deno.test("FrameWriter sends frames in order and those queued together at once", async () => {
  const { stream, written, text } = streamOf([]);
  const writer = new FrameWriter(stream);
  for (const n of [1, 2, 3]) writer.send({ n });
  await writer.drained();
  assert.equal(await text(), `{"n":1}\n{"n":2}\n{"n":3}\n`);
  assert.equal(written.length, 1);
  assert.equal(writer.backlog, 0);
});

Deno.test("FrameWriter finishes short writes and forgets a peer that is gone", async () => {
  const slow = streamOf([], { writeBytes: 3 });
  const writer = new FrameWriter(slow.stream);
  writer.send({ text: "longer than three" });
  await writer.drained();
  assert.equal(await slow.text(), `{"text":"longer than three"}\n`);
  const gone = new FrameWriter({
    read: () => Promise.resolve(null),
    write: () => Promise.reject(new Error("EPIPE")),
  });
  gone.send({});
  await gone.drained();
  gone.send({});
  await gone.drained();
  assert.equal(gone.backlog, 0);
});
