import assert from "node:assert/strict";
import { HermesError, UsageError } from "../protocol/error.ts";
import { decideColor, decodeText, readStdinText, TextWriter } from "./io.ts";

/** A sink that answers each write with the next of `steps`: how much it takes, or what it throws. */
function sinkOf(steps: (number | Error)[]) {
  const taken: string[] = [];
  return {
    taken,
    writeSync(bytes: Uint8Array): number {
      const step = steps.shift() ?? bytes.length;
      if (step instanceof Error) throw step;
      taken.push(new TextDecoder().decode(bytes.subarray(0, step)));
      return step;
    },
  };
}

Deno.test("TextWriter.write() writes everything through short writes and full pipes", () => {
  const sink = sinkOf([2, new Deno.errors.WouldBlock("full"), 1]);
  const writer = new TextWriter(sink, "standard output");
  writer.write("abcdef");
  assert.deepEqual(sink.taken, ["ab", "c", "def"]);
  assert.equal(writer.closed, false);
});

Deno.test("TextWriter.write() never writes more at once than a full pipe refuses whole", () => {
  const sink = sinkOf([]);
  new TextWriter(sink, "standard output").write("x".repeat(10_000));
  assert.equal(sink.taken.join("").length, 10_000);
  assert.ok(sink.taken.every((part) => part.length <= 4096));
});

Deno.test("TextWriter.write() falls silent when the reader is gone", () => {
  const sink = sinkOf([new Deno.errors.BrokenPipe("gone")]);
  const writer = new TextWriter(sink, "standard output");
  writer.write("a");
  writer.write("b");
  assert.equal(writer.closed, true);
  assert.deepEqual(sink.taken, []);
});

Deno.test("TextWriter.write() says so when the disk is full", () => {
  const writer = new TextWriter(sinkOf([new Error("No space left on device")]), "standard output");
  assert.throws(
    () => writer.write("a"),
    (error: unknown) =>
      error instanceof HermesError &&
      error.message === "cannot write to standard output: No space left on device",
  );
});

Deno.test("decideColor() lets NO_COLOR beat FORCE_COLOR beat the terminal", () => {
  const decide = (env: Record<string, string>, isTerminal: boolean, allowed = true) =>
    decideColor({ env: (name) => env[name], isTerminal, allowed });
  assert.equal(decide({}, true), true);
  assert.equal(decide({}, false), false);
  assert.equal(decide({ FORCE_COLOR: "1" }, false), true);
  assert.equal(decide({ FORCE_COLOR: "0" }, true), false);
  assert.equal(decide({ NO_COLOR: "1", FORCE_COLOR: "1" }, true), false);
  assert.equal(decide({ NO_COLOR: "" }, true), true);
  assert.equal(decide({ TERM: "dumb" }, true), false);
  assert.equal(decide({}, true, false), false);
});

function streamOf(...chunks: Uint8Array<ArrayBuffer>[]) {
  return ReadableStream.from(chunks);
}

Deno.test("readStdinText() joins chunks, even through the middle of a character", async () => {
  const bytes = new TextEncoder().encode("grün");
  const stream = streamOf(bytes.slice(0, 3), bytes.slice(3));
  assert.equal(await readStdinText({ stream }), "grün");
});

Deno.test("readStdinText() refuses too much, binary and broken text", async () => {
  const refused = async (bytes: Uint8Array<ArrayBuffer>, pattern: RegExp) =>
    await assert.rejects(
      readStdinText({ stream: streamOf(bytes), limitBytes: 8 }),
      (error: unknown) => error instanceof UsageError && pattern.test(error.message),
    );
  await refused(new Uint8Array(9).fill(65), /larger than 8 bytes/);
  await refused(new Uint8Array([65, 0, 66]), /is binary/);
  await refused(new Uint8Array([0xff, 0xfe]), /not valid UTF-8/);
});

Deno.test("decodeText() names the source in its complaint", () => {
  assert.throws(() => decodeText(new Uint8Array([0]), "a.png"), /a\.png is binary/);
});
