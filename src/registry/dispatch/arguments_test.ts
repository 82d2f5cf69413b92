import assert from "node:assert/strict";
import type { JsonSchema } from "../../protocol/json_schema.ts";
import { readArguments } from "./arguments.ts";

function read(text: string, schema: JsonSchema): unknown {
  const result = readArguments(text, { name: "t", toolset: "x", description: "", schema });
  return result.ok ? result.args : result.error;
}

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, maxLength: 5 },
    limit: { type: "integer", minimum: 1, maximum: 10 },
    mode: { type: "string", enum: ["a", "b"] },
    tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
    inner: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    either: { anyOf: [{ type: "integer" }, { type: "string", enum: ["auto"] }] },
    maybe: { type: ["string", "null"] },
  },
  required: ["path"],
};

Deno.test("readArguments() gives checked and coerced values", () => {
  const text =
    '{"path":"a","limit":"3","mode":"b","tags":"x","inner":{"n":"1.5"},"either":"auto","maybe":null}';
  assert.deepEqual(read(text, SCHEMA), {
    path: "a",
    limit: 3,
    mode: "b",
    tags: ["x"],
    inner: { n: 1.5 },
    either: "auto",
    maybe: null,
  });
  assert.deepEqual(read('"{\\"path\\":\\"a\\"}"', SCHEMA), { path: "a" });
});

Deno.test("readArguments() names the parameter, what was got and what is expected", () => {
  const rows: [text: string, problem: string][] = [
    ["{}", '"path" is required'],
    ['{"file":"x"}', '"path" is required, got "file"'],
    ['{"path":5}', '"path" must be a string, got 5'],
    ['{"path":""}', '"path" must not be empty, got 0 characters'],
    ['{"path":"abcdef"}', '"path" takes at most 5 characters, got 6'],
    ['{"path":"a","limit":"x"}', '"limit" must be an integer, got "x"'],
    ['{"path":"a","limit":0}', '"limit" must be at least 1, got 0'],
    ['{"path":"a","limit":11}', '"limit" must be at most 10, got 11'],
    ['{"path":"a","mode":"c"}', '"mode" must be one of "a", "b", got "c"'],
    ['{"path":"a","tags":[]}', '"tags" needs at least 1 items, got 0'],
    ['{"path":"a","tags":["a","b","c"]}', '"tags" takes at most 2 items, got 3'],
    ['{"path":"a","tags":[{}]}', '"tags[0]" must be a string, got an object'],
    ['{"path":"a","inner":{}}', '"inner.n" is required'],
    ['{"path":"a","inner":"x"}', '"inner" must be an object, got "x"'],
    ['{"path":"a","either":"x"}', '"either" must be an integer, got "x"'],
    ['{"path":null}', '"path" must be a string, got null'],
  ];
  for (const [text, problem] of rows) {
    assert.equal(read(text, SCHEMA), `Invalid arguments for t: ${problem}.`);
  }
  assert.equal(
    read('{"limit":0,"mode":"c"}', SCHEMA),
    'Invalid arguments for t: "path" is required; "limit" must be at least 1, got 0; ' +
      '"mode" must be one of "a", "b", got "c".',
  );
});

Deno.test("readArguments() keeps unknown parameters unless the schema forbids them", () => {
  assert.deepEqual(read('{"path":"a","x":1}', SCHEMA), { path: "a", x: 1 });
  assert.match(
    String(read('{"path":"a","limt":1}', { ...SCHEMA, additionalProperties: false })),
    /"limt" is not a parameter\. Did you mean "limit"\?/,
  );
});

Deno.test("readArguments() coerces for a lenient tool and leaves the rest to it", () => {
  const facts = { name: "t", toolset: "x", description: "", schema: SCHEMA, lenient: true };
  assert.deepEqual(readArguments('{"limit":"5","mode":"odd"}', facts), {
    ok: true,
    args: { limit: 5, mode: "odd" },
  });
  assert.equal(readArguments("[]", facts).ok, false);
});

Deno.test("readArguments() refuses what is no object", () => {
  assert.equal(read("[1]", SCHEMA), "Arguments of t must be a JSON object, got an array.");
  assert.equal(read("null", SCHEMA), "Arguments of t must be a JSON object, got null.");
  assert.equal(read('"x"', SCHEMA), "Arguments of t must be a JSON object, got a string.");
  assert.match(String(read('{"path":"a', SCHEMA)), /cut off and did not run/);
  assert.match(String(read("{path}", SCHEMA)), /not valid JSON.*Send it again/);
});

Deno.test("readArguments() refuses a text that is longer than any call", () => {
  const text = JSON.stringify({ path: "x".repeat(8_000_001) });
  assert.equal(read(text, SCHEMA), "Arguments of t have more than 8000000 characters.");
});

Deno.test("readArguments() refuses more values than any call needs, in keys, lists and their depths", () => {
  const many = Array.from({ length: 30_000 }, (_, i) => i);
  const texts = [
    { path: "a", ...Object.fromEntries(many.map((i) => [`k${i}`, 1])) },
    { path: "a", list: many },
    { path: "a", deep: many.slice(0, 200).map((i) => many.slice(0, 200).map((j) => [i, j])) },
  ].map((value) => JSON.stringify(value));
  for (const text of texts) {
    assert.equal(read(text, SCHEMA), "Arguments of t hold more than 20000 values.");
  }
});
