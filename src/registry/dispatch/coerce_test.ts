import assert from "node:assert/strict";
import type { JsonSchema } from "../../protocol/json_schema.ts";
import { coerceArguments } from "./coerce.ts";

function coerce(schema: JsonSchema, value: unknown): unknown {
  return coerceArguments({ v: value }, { type: "object", properties: { v: schema } }).v;
}

Deno.test("coerceArguments() follows the coercion table", () => {
  const integer = { type: "integer" };
  const number = { type: "number" };
  const boolean = { type: "boolean" };
  const array = { type: "array" };
  const object = { type: "object" };
  const rows: [schema: JsonSchema, input: unknown, output: unknown][] = [
    [integer, "42", 42],
    [integer, "42.0", 42],
    [integer, " -7 ", -7],
    [integer, "4.5", "4.5"],
    [integer, "inf", "inf"],
    [integer, "nan", "nan"],
    [integer, "x", "x"],
    [integer, "", ""],
    [number, "4.5", 4.5],
    [number, "4.0", 4],
    [number, "1e3", 1000],
    [number, "0x10", "0x10"],
    [boolean, "true", true],
    [boolean, "False ", false],
    [boolean, "yes", "yes"],
    [boolean, "1", "1"],
    [array, '["x"]', ["x"]],
    [array, "x", ["x"]],
    [array, 5, [5]],
    [array, "[bad", ["[bad"]],
    [array, null, null],
    [object, '{"k":1}', { k: 1 }],
    [object, "x", "x"],
    [{ type: ["integer", "null"] }, "NULL", null],
    [{ type: "string", nullable: true }, "null", null],
    [{ anyOf: [{ type: "integer" }, { type: "null" }] }, "null", null],
    [{ type: ["integer", "boolean"] }, "true", true],
    [{ type: ["integer", "boolean"] }, "5", 5],
    [{ type: ["string", "array"] }, "x", "x"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, "5", "5"],
    [{ type: "string" }, "5", "5"],
    [{ type: "string" }, "null", "null"],
    [{}, "5", "5"],
  ];
  for (const [schema, input, output] of rows) {
    assert.deepEqual(coerce(schema, input), output, JSON.stringify([schema, input]));
  }
});

Deno.test("coerceArguments() reaches into lists and objects", () => {
  const item = { type: "object", properties: { n: { type: "integer" } } };
  assert.deepEqual(coerce({ type: "array", items: item }, '[{"n":"1"}]'), [{ n: 1 }]);
  assert.deepEqual(coerce({ type: "array", items: item }, ['{"n":"2"}']), [{ n: 2 }]);
  assert.deepEqual(coerce({ type: "array", items: { type: "string" } }, "5"), ["5"]);
});

Deno.test("coerceArguments() leaves unknown properties and undoes renamed ones", () => {
  const schema = { type: "object", properties: { "a b": { type: "integer" } } };
  assert.deepEqual(coerceArguments({ "a_b": "1", other: "2" }, schema), { "a b": 1, other: "2" });
  assert.deepEqual(coerceArguments({ other: "2" }, { type: "object" }), { other: "2" });
});

Deno.test("coerceArguments() does not touch inherited names", () => {
  const schema = { type: "object", properties: { a: { type: "integer" } } };
  const hostile = coerceArguments(JSON.parse('{"__proto__":{"a":"x"}}'), schema);
  assert.equal(hostile.a, undefined);
  assert.deepEqual(coerceArguments({ constructor: "1" }, schema), { constructor: "1" });
});
