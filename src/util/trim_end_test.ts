import { equal } from "node:assert/strict";
import { trimEndOf } from "./trim_end.ts";

Deno.test("trimEndOf() takes only the given characters, and only from the end", () => {
  equal(trimEndOf("//a//b//", "/"), "//a//b");
  equal(trimEndOf("v1.2.", "0123456789."), "v");
  equal(trimEndOf("***", "*"), "");
  equal(trimEndOf("plain", "/"), "plain");
});
