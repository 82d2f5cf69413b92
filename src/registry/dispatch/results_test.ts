import assert from "node:assert/strict";
import { Bench, parsed } from "../../../tests/registry/support.ts";
import { createTestServices } from "../../../tests/support/tool_context.ts";
import { pluginResult } from "../../protocol/tool_result.ts";
import type { CommandDetails, ToolDetails } from "../../protocol/tool_details.ts";
import type { EventBody } from "../../protocol/event.ts";

const KEY = "sk-abcdefghij1234567890XYZ";
const PNG = Uint8Array.fromBase64("iVBORw0KGgo=");
/** A picture of a few bytes that claims to be 30 000 pixels wide. */
const HUGE = new Uint8Array([0x89, 0x50, 0x4e, 0x47, ...Array(14).fill(0), 0x75, 0x30, 0, 0, 0, 1]);
const FAILED: CommandDetails = { kind: "command", exitCode: 3, output: "no" };

function endOf(bench: Bench): EventBody & { type: "tool_end" } {
  const end = bench.events.findLast((event) => event.type === "tool_end");
  assert.ok(end?.type === "tool_end");
  return end;
}

/** A bench whose blobs are kept in memory. */
function benchWithBlobs() {
  const blobs: Uint8Array[] = [];
  const services = {
    ...createTestServices(),
    blobs: { put: (bytes: Uint8Array) => Promise.resolve(`sha256:${blobs.push(bytes)}`) },
  };
  return { bench: new Bench(), blobs, services };
}

Deno.test("run() hands details to events, the message and observers, not to the model", async () => {
  const bench = new Bench().add({
    name: "t",
    handler: () => ({ content: { text: "hi" }, details: FAILED, isError: true }),
  });
  const seen: unknown[] = [];
  bench.hooks.on("post_tool_call", ({ details, isError, status }) => {
    seen.push({ details, isError, status });
  });
  const { message } = await bench.dispatcher().run("t");
  assert.equal(message.content, '{"text":"hi"}');
  assert.deepEqual([message.details, message.isError], [FAILED, true]);
  assert.deepEqual(endOf(bench).details, FAILED);
  assert.equal(endOf(bench).isError, true);
  // The tool worked: it was the program that did not.
  assert.deepEqual(seen, [{ details: FAILED, isError: true, status: "ok" }]);
});

Deno.test("run() takes a failure from isError alone", async () => {
  const bench = new Bench()
    .add({ name: "liar", handler: () => ({ content: { error: "just a word" } }) })
    .add({ name: "text", handler: () => ({ content: 'Error: {"error"' }) })
    .add({ name: "silent", handler: () => ({ content: "all is well", isError: true }) });
  const dispatcher = bench.dispatcher();
  const failed = [];
  for (const name of ["liar", "text", "silent"]) {
    failed.push((await dispatcher.run(name)).message.isError);
  }
  assert.deepEqual(failed, [false, false, true]);
});

Deno.test("run() shows calls and results by the tool's own renderers", async () => {
  const bench = new Bench().add({
    name: "t",
    schema: { type: "object", properties: { n: { type: "integer" } } } as const,
    summary: ({ n }) => `number\n${n}`,
    view: {
      line: ({ args, details, isError }) =>
        `${args.n} ${(details as CommandDetails).exitCode} ${isError}`,
      expanded: ({ details }) => [{ kind: "output", text: (details as CommandDetails).output }],
    },
    handler: () => ({ content: "x", details: FAILED, isError: true }),
  });
  await bench.dispatcher().run("t", { n: 7 });
  const start = bench.events[0]!;
  assert.equal(start.type === "tool_start" && start.summary, "number 7");
  assert.equal(endOf(bench).summary, "7 3 true");
  assert.deepEqual(endOf(bench).view, [{ kind: "output", text: "no" }]);
});

Deno.test("run() shows a result by its words when there are no renderers, or they throw", async () => {
  const broken = () => {
    throw new Error("renderer");
  };
  const bench = new Bench()
    .add({ name: "plain", handler: () => "two\nlines" })
    .add({ name: "failed", handler: () => ({ error: "no such file", more: 1 }) })
    .add({
      name: "broken",
      summary: broken,
      view: { line: broken, expanded: broken },
      handler: () => ({ content: "still here", details: FAILED }),
    });
  const dispatcher = bench.dispatcher();
  const summaries: unknown[] = [];
  for (const name of ["plain", "failed", "broken", "nowhere"]) {
    await dispatcher.run(name, { path: "a.txt" });
    summaries.push(endOf(bench).summary);
  }
  assert.deepEqual(summaries.slice(0, 3), ["two lines", "error: no such file", "still here"]);
  assert.match(String(summaries[3]), /^error: Unknown tool: nowhere/);
  const starts = bench.events.filter((event) => event.type === "tool_start");
  assert.deepEqual(starts.map(({ summary }) => summary), ["a.txt", "a.txt", "a.txt", ""]);
});

Deno.test("run() takes secrets out of details, summaries and views", async () => {
  const bench = new Bench().add({
    name: "t",
    summary: (args) => String((args as { note?: string }).note),
    view: {
      line: ({ args, details }) => `${JSON.stringify(args)} ${JSON.stringify(details)}`,
      expanded: ({ details }) => [{ kind: "text", text: JSON.stringify(details) }],
    },
    handler: () => ({ content: "x", details: { ...FAILED, output: KEY } }),
  });
  const result = await bench.dispatcher().run("t", { note: KEY });
  const everything = JSON.stringify([result, bench.events]);
  assert.ok(!everything.includes(KEY), everything);
});

Deno.test("run() stores images as blobs and sends references", async () => {
  const { bench, blobs, services } = benchWithBlobs();
  bench.add({
    name: "look",
    handler: () => ({
      content: [
        { type: "text", text: "a picture" },
        { type: "image", mediaType: "image/png", data: PNG },
        { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
      ],
    }),
  });
  const { message } = await bench.dispatcher({ services }).run("look");
  assert.equal(message.content, "a picture");
  assert.deepEqual(message.images, [
    { type: "image", mediaType: "image/png", ref: "sha256:1" },
    { type: "image", mediaType: "image/png", ref: "sha256:2" },
  ]);
  assert.deepEqual(blobs, [PNG, PNG]);
  assert.deepEqual(endOf(bench).view?.at(-1), {
    kind: "image",
    mediaType: "image/png",
    ref: "sha256:2",
  });
});

Deno.test("run() notes an image that cannot be kept, and the call goes on", async () => {
  const { bench, services } = benchWithBlobs();
  const image = (mediaType: string, data: Uint8Array<ArrayBuffer> | string) =>
    ({ type: "image", mediaType, data }) as const;
  bench.add({
    name: "look",
    handler: () => ({
      content: [
        image("image/tiff", PNG),
        image("image/png", "not base64!"),
        image("image/png", new Uint8Array(0)),
        image("image/png", new Uint8Array(5_000_001)),
        image("image/png", "eA=="),
        image("image/png", HUGE),
        ...Array.from({ length: 4 }, () => image("image/gif", PNG)),
      ],
    }),
  });
  const { message } = await bench.dispatcher({ services }).run("look");
  const notes = message.content.split("\n");
  const expected = [
    /1 is left out: its type/,
    /2 .*base64/,
    /3 .*empty/,
    /4 .*5000001 bytes/,
    /5 .*bytes are none/,
    /6 .*8000 pixels/,
  ];
  expected.forEach((pattern, i) => assert.match(notes[i]!, pattern));
  assert.equal(notes[6], "[2 more images are left out]");
  // What it says it is does not count: a provider looks at the bytes.
  assert.deepEqual(message.images?.map(({ mediaType }) => mediaType), ["image/png", "image/png"]);
  assert.equal(message.isError, false);
});

Deno.test("callTool() gives text and details to the caller, and keeps no images for it", async () => {
  const bench = new Bench()
    .add({
      name: "inner",
      handler: () => ({
        content: [{ type: "text", text: "t" }, {
          type: "image",
          mediaType: "image/png",
          data: PNG,
        }],
        details: FAILED,
        isError: true,
      }),
    })
    .add({ name: "outer", handler: async (_, ctx) => ({ got: await ctx.callTool("inner", {}) }) });
  const { got } = parsed(await bench.dispatcher().run("outer"));
  assert.deepEqual(got, {
    content: "t\n[images are left out: scripts get text]",
    isError: true,
    details: FAILED,
  });
});

Deno.test("pluginResult() takes the old forms and the new one", () => {
  const image = { type: "image", mediaType: "image/png", data: "eA==" };
  const cases: [unknown, unknown][] = [
    ["text", { content: "text" }],
    [{ a: 1 }, { content: { a: 1 } }],
    [{ content: "a file", total: 2 }, { content: { content: "a file", total: 2 } }],
    [{ content: "bare" }, { content: { content: "bare" } }],
    [{ error: "no" }, { content: { error: "no" }, isError: true }],
    [{ error: null }, { content: { error: null } }],
    [
      { content: [image], details: { kind: "command", x: 1 }, isError: true },
      {
        content: [image],
        details: { kind: "data", data: { kind: "command", x: 1 } },
        isError: true,
      },
    ],
    [{ content: [image], other: 1 }, { content: { content: [image], other: 1 } }],
    [{ content: ["x"] }, { content: { content: ["x"] } }],
    [5, undefined],
    [null, undefined],
    [["x"], undefined],
  ];
  for (const [value, expected] of cases) assert.deepEqual(pluginResult(value), expected);
});

Deno.test("run() leaves out details of a plugin that are too long", async () => {
  const long: ToolDetails = { kind: "data", data: "x".repeat(100_000) };
  const bench = new Bench().add({ name: "t", handler: () => ({ content: "x", details: long }) });
  const { message } = await bench.dispatcher().run("t");
  assert.equal("details" in message, false);
});
