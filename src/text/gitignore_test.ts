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

Deno.test("IgnoreRules gives a verdict whatever an ignore file holds", () => {
  const name = "a".repeat(200);
  const files = [
    Array.from({ length: 2000 }, (_, i) => `${"*a".repeat(190)}b${i}`),
    Array.from({ length: 20_000 }, (_, i) => `*a*b*c${i}`),
    Array.from({ length: 70_000 }, (_, i) => `f*.t${i}`),
    Array.from({ length: 3000 }, (_, i) => `${"{a,*b}".repeat(60)}${i}`),
  ];
  for (const lines of files) {
    equal(verdict(lines.join("\n"), name), undefined);
    equal(verdict(["*.log", ...lines].join("\n"), "x.log"), "ignore");
  }
});

Deno.test("IgnoreRules leaves out rules that are too long or too many", () => {
  equal(verdict("a".repeat(400), "a".repeat(400)), "ignore");
  equal(verdict(`*${"a".repeat(400)}`, "a".repeat(400)), undefined);
  const lines = Array.from({ length: 5001 }, (_, i) => `x${i}`).join("\n\n# comment\n");
  equal(verdict(lines, "x4999"), "ignore");
  equal(verdict(lines, "x5000"), undefined);
});
