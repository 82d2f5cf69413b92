import assert from "node:assert/strict";
import { foldText, reordersText } from "./fold.ts";

Deno.test("foldText() shows a command as a reader sees it", () => {
  for (
    const [text, folded] of [
      ["ls -la", "ls -la"],
      ["\x1b[31mrm\x1b[0m -rf /", "rm -rf /"],
      ["\x9b31mrm", "rm"],
      ["\x1b]0;title\x07rm", "rm"],
      ["\x1bPdata\x1b\\rm", "rm"],
      ["r\0m", "rm"],
      ["ｒｍ -ｒｆ ／", "rm -rf /"],
      ["r\u200bm\u00ad -r\u2060f", "rm -rf"],
      ["rm\u00a0-rf", "rm -rf"],
      ["a\r\nb", "a\nb"],
      ["a\bb", "ab"],
      ["grüße", "grüße"],
    ] as const
  ) assert.equal(foldText(text), folded, JSON.stringify(text));
});

Deno.test("reordersText() sees direction overrides, not honest right-to-left text", () => {
  assert.equal(reordersText("ls \u202egnp.exe"), true);
  assert.equal(reordersText("echo שלום"), false);
});
