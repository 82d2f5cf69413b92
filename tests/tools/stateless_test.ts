/** Tools are shared by every session of a process: none may remember anything in its module. */
import { deepEqual } from "node:assert/strict";

const TOOLS = new URL("../../tools/", import.meta.url);
/** What changes while a program runs; `WeakMap` by session-owned objects ends with them. */
const STATE =
  /^(?:export )?(?:let|var)\b|^(?:export )?const \w+[^=\n]*= (?:new (?:Map|Set|Array)\(\)|\[\]|\{\});?$/;

Deno.test("no module of a tool holds state at its top level", async () => {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(TOOLS)) {
    if (!name.endsWith(".ts") || name.endsWith("_test.ts")) continue;
    const lines = (await Deno.readTextFile(new URL(name, TOOLS))).split("\n");
    found.push(...lines.filter((line) => STATE.test(line)).map((line) => `${name}: ${line}`));
  }
  deepEqual(found, []);
  // Not a test of nothing.
  const known = ["let count = 0;", "export const seen = new Map();", "const all: string[] = [];"];
  deepEqual(known.filter((line) => !STATE.test(line)), []);
});
