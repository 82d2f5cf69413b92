import { equal } from "node:assert/strict";
import { IgnoreRules } from "./gitignore.ts";

/** `path` ends with `/` for a directory. */
function verdict(rules: string, path: string): string | undefined {
  const isDirectory = path.endsWith("/");
  return new IgnoreRules(rules).verdict(isDirectory ? path.slice(0, -1) : path, isDirectory);
}

const ROWS: [rules: string, path: string, verdict: string | undefined][] = [
  ["*.log", "a.log", "ignore"],
  ["*.log", "x/a.log", "ignore"],
  ["*.log", "a.log.txt", undefined],
  ["build/", "build/", "ignore"],
  ["build/", "build", undefined],
  ["build/", "x/build/", "ignore"],
  ["/build", "build", "ignore"],
  ["/build", "x/build", undefined],
  ["a/b", "a/b", "ignore"],
  ["a/b", "x/a/b", undefined],
  ["**/b", "x/y/b", "ignore"],
  ["a/**", "a/x/y", "ignore"],
  ["a/**/z", "a/z", "ignore"],
  ["# comment", "# comment", undefined],
  ["\\#x", "#x", "ignore"],
  ["\\!x", "!x", "ignore"],
  ["x  ", "x", "ignore"],
  ["x\\ ", "x ", "ignore"],
  ["*.log\n!keep.log", "keep.log", "keep"],
  ["!keep.log\n*.log", "keep.log", "ignore"],
  ["\ufeff*.log\r\n*.tmp\r\n", "a.log", "ignore"],
  ["", "a", undefined],
  ["/", "a", undefined],
  ["[z-a]\n*.log", "a.log", "ignore"],
];

for (const [rules, path, expected] of ROWS) {
  Deno.test(`verdict() of ${JSON.stringify(rules)} on ${path}`, () => {
    equal(verdict(rules, path), expected);
  });
}

Deno.test("IgnoreRules gives a verdict on names made to be slow for a rule", () => {
  const name = `${"a".repeat(255)}!`;
  equal(verdict(`${"*a".repeat(30)}*b`, name), undefined);
  equal(verdict(`${"*a".repeat(30)}*!\n*.log`, name), "ignore");
  equal(verdict(`${"x/**/".repeat(20)}y`, "x/".repeat(500) + "z"), undefined);
});
