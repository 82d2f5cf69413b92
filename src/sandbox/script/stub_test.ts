import assert from "node:assert/strict";
import type { JsonSchema } from "../../protocol/json_schema.ts";
import { functionName, scriptSignature, typeText } from "./signature.ts";
import { pythonStub, scriptStub } from "./stub.ts";

const SEARCH = {
  name: "search_files",
  description: 'Finds text. With details */ and """.',
  parameters: {
    type: "object",
    properties: {
      limit: { type: "integer" },
      pattern: { type: "string" },
      target: { enum: ["content", "files"] },
    },
    required: ["pattern"],
  },
};

Deno.test("typeText() writes the type of a schema", () => {
  const cases: [JsonSchema, string][] = [
    [{ type: "string" }, "string"],
    [{ type: "integer" }, "number"],
    [{ enum: ["a", 1] }, `"a" | 1`],
    [{ type: "array", items: { type: "string" } }, "string[]"],
    [{ type: "array", items: { enum: ["a", "b"] } }, `("a" | "b")[]`],
    [{ type: ["string", "null"] }, "string | null"],
    [{ anyOf: [{ type: "number" }, { type: "integer" }] }, "number"],
    [
      { type: "object", properties: { "a-b": {}, c: { type: "boolean" } }, required: ["c"] },
      `{ "a-b"?: unknown; c: boolean }`,
    ],
    [{ type: "object" }, "object"],
    [{}, "unknown"],
  ];
  for (const [schema, expected] of cases) assert.equal(typeText(schema), expected);
});

Deno.test("scriptSignature() puts required parameters first and leaves out what scripts may not use", () => {
  assert.equal(
    scriptSignature(SEARCH),
    `search_files({ pattern: string; limit?: number; target?: "content" | "files" })`,
  );
  const terminal = {
    name: "terminal",
    description: "",
    parameters: { properties: { command: { type: "string" }, background: { type: "boolean" } } },
  };
  assert.equal(scriptSignature(terminal), "terminal({ command?: string })");
});

Deno.test("functionName() makes an identifier of both languages", () => {
  assert.equal(functionName("mcp_git-log.v2"), "mcp_git_log_v2");
  assert.equal(functionName("2fa"), "_2fa");
  assert.equal(functionName("class"), "class_");
  assert.equal(functionName("lambda"), "lambda_");
});

/** Evaluates a stub as the child does and gives its exports and the calls they make. */
async function load(tools: Parameters<typeof scriptStub>[0]) {
  const calls: unknown[][] = [];
  const key = Symbol.for("hermes.call");
  Object.defineProperty(globalThis, key, {
    value: (...call: unknown[]) => calls.push(call),
    configurable: true,
  });
  const exports = await import(`data:text/javascript,${encodeURIComponent(scriptStub(tools))}`);
  Reflect.deleteProperty(globalThis, key);
  return { exports, calls };
}

Deno.test("scriptStub() exports exactly the tools and the helpers", async () => {
  const { exports, calls } = await load([SEARCH]);
  assert.deepEqual(Object.keys(exports).sort(), [
    "jsonParse",
    "retry",
    "search_files",
    "shellQuote",
  ]);
  exports.search_files({ pattern: "x" });
  exports.search_files.full({ pattern: "y" });
  assert.deepEqual(calls, [
    ["search_files", { pattern: "x" }],
    ["search_files", { pattern: "y" }, true],
  ]);
});

Deno.test("scriptStub() has helpers that work", async () => {
  const { exports: { jsonParse, shellQuote, retry } } = await load([]);
  assert.deepEqual(jsonParse('\ufeff{"a":"line\nbreak\\n\t"}'), { a: "line\nbreak\n\t" });
  assert.throws(() => jsonParse("{"), SyntaxError);
  assert.equal(shellQuote("it's"), `'it'\\''s'`);
  assert.equal(shellQuote(""), "''");
  assert.equal(shellQuote("a/b.c"), "a/b.c");
  let tries = 0;
  const failing = () => {
    tries++;
    return Promise.reject(new Error("no"));
  };
  await assert.rejects(retry(failing, { attempts: 2, delayMs: 1 }), /no/);
  assert.equal(tries, 2);
  assert.deepEqual(await retry(() => ({ error: "x" }), { attempts: 2, delayMs: 1 }), {
    error: "x",
  });
});

Deno.test("pythonStub() writes keyword arguments, required ones first", () => {
  const stub = pythonStub([SEARCH], { todo: "not for scripts" });
  assert.match(
    stub,
    /^def search_files\(pattern, limit=None, target=None\):\n {4}"""Finds text\."""/m,
  );
  assert.match(stub, /_refusals = \{"todo":"not for scripts"\}/);
});
