import { equal } from "node:assert/strict";
import { cleanOutput } from "./clean_output.ts";

Deno.test("cleanOutput() removes escape sequences and keeps the text", () => {
  equal(cleanOutput("plain\ttext\n"), "plain\ttext\n");
  equal(cleanOutput("\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07"), "red link");
  equal(cleanOutput("\x1b(B\x1b=a\x07b\x00c"), "abc");
});

Deno.test("cleanOutput() keeps the last form of an overwritten line", () => {
  equal(cleanOutput("10%\r50%\r100%\r\ndone\r\n"), "100%\ndone\n");
  equal(cleanOutput("ab\bc"), "ac");
});
