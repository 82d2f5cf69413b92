/** Calls whose size is the attack: nested arguments, endless names and keys. One line each, no crash. */
import assert from "node:assert/strict";
import { Bench, parsed } from "../../../tests/registry/support.ts";

const DEEP = 20_000;

function lists(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

function objects(levels: number): string {
  return '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
}

function benchOf(handler: () => string = () => "ran"): Bench {
  return new Bench().add({
    name: "keep",
    lenient: true,
    schema: {
      type: "object",
      properties: { items: { type: "array" }, inner: { type: "object" }, text: { type: "string" } },
    } as const,
    handler,
  });
}

const REFUSED = { error: "Arguments of keep are nested deeper than 64 levels." };

Deno.test("run() refuses arguments that are nested too deep, wherever the depth comes from", async () => {
  const bench = benchOf();
  const dispatcher = bench.dispatcher();
  const rows = [
    `{"items":${lists(DEEP)}}`,
    `{"inner":${objects(DEEP)}}`,
    `{"text":${lists(200_000)}}`,
    `{"nobody_knows":${objects(DEEP)}}`,
    `{"__proto__":${objects(DEEP)}}`,
    // Encoded twice, and as a text that coercion parses.
    JSON.stringify(`{"items":${lists(DEEP)}}`),
    JSON.stringify({ items: lists(DEEP) }),
    JSON.stringify({ inner: objects(DEEP) }),
    `{"items":${lists(64)}}`,
  ];
  for (const text of rows) {
    const result = await dispatcher.run("keep", text);
    assert.equal(parsed(result).error, REFUSED.error, text.slice(0, 40));
    assert.equal(result.message.isError, true);
  }
  assert.equal((await dispatcher.run("keep", `{"items":${lists(63)}}`)).message.content, "ran");
});

Deno.test("run() refuses nested arguments of a call inside a call, and of a hook", async () => {
  const bench = benchOf().add({
    name: "outer",
    handler: async (_, ctx) => {
      return { inner: (await ctx.callTool("keep", `{"items":${lists(DEEP)}}`)).content };
    },
  });
  const dispatcher = bench.dispatcher();
  const nested = parsed(await dispatcher.run("outer"));
  assert.deepEqual(JSON.parse(String(nested.inner)), REFUSED);
  bench.hooks.on("pre_tool_call", () => ({ action: "modify", args: JSON.parse(objects(DEEP)) }));
  assert.deepEqual(parsed(await dispatcher.run("keep")), {
    error: "A hook rewrote the call: it is nested deeper than 64 levels",
  });
});

Deno.test("run() gives one error for a result that is nested too deep", async () => {
  const bench = benchOf().add({
    name: "deep",
    handler: () => ({ value: JSON.parse(lists(DEEP)) }),
  });
  const result = await bench.dispatcher().run("deep");
  assert.equal(result.message.isError, true);
  assert.match(String(parsed(result).error), /nested|stack/);
});

Deno.test("run() refuses an endless tool name without comparing or repeating it", async () => {
  const bench = benchOf();
  const dispatcher = bench.dispatcher();
  for (const length of [101, 20_000_000]) {
    const result = await dispatcher.run("k".repeat(length));
    assert.equal(result.unknownTool, true);
    assert.equal(result.message.name, `${"k".repeat(100)}…`);
    assert.equal(
      parsed(result).error,
      `Unknown tool: ${"k".repeat(100)}… No tool has a name of ${length} characters.`,
    );
  }
  assert.ok(JSON.stringify(bench.events).length < 10_000, "the name went into events");
});

Deno.test("run() names only some of many unknown keys, and only their start", async () => {
  const bench = new Bench().add({
    name: "strict",
    schema: {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
      additionalProperties: false,
    } as const,
    handler: () => "ran",
  });
  const dispatcher = bench.dispatcher();
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`pat${i}`, 1]));
  assert.ok((await dispatcher.run("strict", many)).message.content.length < 4_000);
  const long = parsed(await dispatcher.run("strict", { ["p".repeat(1_000_000)]: 1 }));
  assert.match(String(long.error), /"path" is required, got "p{100}…"; "p{100}…" is not a param/);
});
