import { equal, match } from "node:assert/strict";
import { nearestPassages } from "./nearest_passage.ts";

const FILE = [
  "export function connect() {",
  "  const port = 8080;",
  "  return open(port);",
  "}",
].join("\n");

Deno.test("nearestPassages() shows the place of the longest line", () => {
  equal(
    nearestPassages(FILE, "  const port = 8081;\n  return open(port)"),
    "2|··const port = 8080;\n3|··return open(port);",
  );
});

Deno.test("nearestPassages() finds a line that differs by a number only, however different", () => {
  equal(nearestPassages("a = 1\nx=10000\n", "x=98765432"), "2|x=10000");
});

Deno.test("nearestPassages() looks for other lines when the longest is nowhere", () => {
  const passage = "// Nobody ever wrote this sentence, which is the longest one here\n" +
    "  const port = 9090;";
  match(
    nearestPassages(FILE, passage),
    /1\|export function connect\(\) \{\n2\|··const port = 8080;/,
  );
});

Deno.test("nearestPassages() shows nothing where nothing is near, and reads no endless file", () => {
  equal(nearestPassages(FILE, "zzz qqq"), "");
  equal(nearestPassages(FILE, "\n \n"), "");
  equal(nearestPassages("x = 1\n".repeat(60_000), "x = 2"), "");
});
