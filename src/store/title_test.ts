import assert from "node:assert/strict";
import { UsageError } from "../protocol/error.ts";
import { cleanTitle, shortTitle } from "./title.ts";

Deno.test("cleanTitle() folds spaces and removes what cannot be seen", () => {
  assert.equal(cleanTitle("  fix\n the\u202e \x1b[31mtests\u200b "), "fix the [31mtests");
});

Deno.test("cleanTitle() refuses an empty and an overlong title", () => {
  assert.throws(() => cleanTitle(" \u200b "), UsageError);
  assert.throws(() => cleanTitle("x".repeat(101)), /101 characters, at most 100/);
  assert.equal([...cleanTitle("𠮷".repeat(100))].length, 100);
});

Deno.test("shortTitle() makes a title of any text", () => {
  assert.equal(shortTitle("  fix\nthe tests "), "fix the tests");
  assert.equal(shortTitle("\u200b \n"), undefined);
  assert.equal([...shortTitle("word ".repeat(1000))!].length, 100);
});
