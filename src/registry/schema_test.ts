import assert from "node:assert/strict";
import { safePropertyNames, sanitizeParameters } from "./schema.ts";

Deno.test("sanitizeParameters() gives the reference's answer", () => {
  const input = {
    type: "object",
    properties: {
      a: { type: ["string", "null"] },
      b: { anyOf: [{ type: "integer" }, { type: "null" }], default: 1 },
      "c d": { type: "string" },
      e: "string",
      f: { type: ["string", "integer"] },
    },
    required: ["a", "zz", "c d"],
    oneOf: [{ required: ["a"] }],
  };
  const copy = structuredClone(input);
  assert.deepEqual(sanitizeParameters(input), {
    type: "object",
    properties: {
      a: { type: "string", nullable: true },
      b: { type: "integer", nullable: true, default: 1 },
      "c_d": { type: "string" },
      e: { type: "string" },
      f: { anyOf: [{ type: "string" }, { type: "integer" }] },
    },
    required: ["a", "c_d"],
  });
  assert.deepEqual(input, copy);
});

Deno.test("sanitizeParameters() makes an object schema of anything", () => {
  const empty = { type: "object", properties: {} };
  for (const input of [null, undefined, "x", 5, [], {}, { type: "string" }]) {
    assert.deepEqual(sanitizeParameters(input), empty);
  }
  assert.deepEqual(sanitizeParameters({ properties: { a: "nonsense" } }).properties, { a: empty });
});

Deno.test("sanitizeParameters() works at every depth", () => {
  const { properties } = sanitizeParameters({
    properties: {
      list: { type: "array", items: { type: ["integer", "null"] } },
      map: { type: "object", additionalProperties: { type: ["string", "null"] } },
      ref: { $ref: "#/$defs/x", default: 1 },
      nested: { type: "object", properties: { "b!": "string" }, required: ["b!", "gone"] },
      empty: { type: "object", properties: {}, required: ["gone"] },
      many: { type: ["string", "integer", "null"] },
    },
  });
  assert.deepEqual(properties, {
    list: { type: "array", items: { type: "integer", nullable: true } },
    map: { type: "object", additionalProperties: { type: "string", nullable: true } },
    ref: { $ref: "#/$defs/x" },
    nested: { type: "object", properties: { "b_": { type: "string" } }, required: ["b_"] },
    empty: { type: "object", properties: {} },
    many: { nullable: true, anyOf: [{ type: "string" }, { type: "integer" }] },
  });
});

Deno.test("safePropertyNames() maps what is sent to what is declared, without clashes", () => {
  assert.equal(safePropertyNames({ a: 1, "b.c-d": 1 }), undefined);
  const long = "x".repeat(70);
  const names = safePropertyNames({ "a b": 1, "a_b": 1, "a/b": 1, [long]: 1 })!;
  assert.deepEqual([...names], [
    ["a_b_2", "a b"],
    ["a_b_3", "a/b"],
    ["x".repeat(64), long],
  ]);
});
