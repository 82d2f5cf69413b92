import assert from "node:assert/strict";
import { docProblems, missingTools } from "./gen_docs.ts";

Deno.test("missingTools() names tools that do not exist, and no plain words", () => {
  assert.deepEqual(missingTools("`read_file` and web_search keep things in memory"), [
    "web_search",
  ]);
  assert.deepEqual(missingTools("The tool `memory` and `browser_click`"), [
    "browser_click",
    "memory",
  ]);
  assert.deepEqual(missingTools("`terminal`, `todo`, web_searches"), []);
});

Deno.test("docProblems() finds every page of docs fresh", async () => {
  assert.deepEqual(await docProblems(), []);
});
