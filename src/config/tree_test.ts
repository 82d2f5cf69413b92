import assert from "node:assert/strict";
import { getPath, leaves, mapStrings, mergeTrees, setPath } from "./tree.ts";

Deno.test("mergeTrees() merges mappings, replaces the rest, lets null keep the base", () => {
  const base = { a: { b: 1, c: [1] }, d: 2, e: { f: 1 } };
  assert.deepEqual(mergeTrees(base, { a: { b: 2, x: null }, d: null, e: null, g: [{}] }), {
    a: { b: 2, c: [1], x: null },
    d: 2,
    e: { f: 1 },
    g: [{}],
  });
});

Deno.test("mergeTrees() shares nothing with the base", () => {
  const base = { a: { list: [1] } };
  const merged = mergeTrees(base, {});
  (merged.a as { list: number[] }).list.push(2);
  assert.deepEqual(base, { a: { list: [1] } });
});

Deno.test("mergeTrees() cannot be made to change a prototype", () => {
  const merged = mergeTrees({}, JSON.parse(`{"__proto__": {"polluted": true}}`));
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

Deno.test("getPath() and setPath() follow dots through mappings and lists", () => {
  const tree = { a: [{ b: 1 }] };
  setPath(tree, "a.0.b", 2);
  setPath(tree, "c.d", 3);
  assert.deepEqual(tree, { a: [{ b: 2 }], c: { d: 3 } });
  assert.equal(getPath(tree, "a.0.b"), 2);
  assert.equal(getPath(tree, "a.toString"), undefined);
  assert.equal(getPath(tree, "c.d.e"), undefined);
});

Deno.test("leaves() and mapStrings() visit every value", () => {
  const tree = { a: { b: "x", c: {} }, d: ["y"] };
  assert.deepEqual([...leaves(tree)], [["a.b", "x"], ["a.c", {}], ["d", ["y"]]]);
  assert.deepEqual(mapStrings(tree, (text) => text + text), { a: { b: "xx", c: {} }, d: ["yy"] });
});
