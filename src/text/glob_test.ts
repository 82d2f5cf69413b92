import { deepEqual, equal } from "node:assert/strict";
import { comparePaths, compileGlob } from "./glob.ts";

const ROWS: [glob: string, matching: string[], other: string[]][] = [
  ["*.ts", ["a.ts", "src/a.ts", ".ts"], ["a.tsx", "ats"]],
  ["*.{ts,tsx}", ["a.ts", "b/a.tsx"], ["a.t"]],
  ["src/*.ts", ["src/a.ts"], ["src/b/a.ts", "x/src/a.ts"]],
  ["src/**/*.ts", ["src/a.ts", "src/b/c/a.ts"], ["lib/a.ts"]],
  ["**/test", ["test", "a/b/test"], ["atest"]],
  ["docs/**", ["docs/a", "docs/b/c"], ["docs", "mydocs/a"]],
  ["a?c", ["abc", "x/a-c"], ["ac", "a/c"]],
  ["[a-c]x", ["ax", "bx"], ["dx"]],
  ["[!a-c]x", ["dx"], ["ax", "/x"]],
  ["file[1", ["file[1"], ["file1"]],
  ["a.b+c(d)", ["a.b+c(d)"], ["aXb+c(d)"]],
  ["\\*x", ["*x"], ["ax"]],
  ["!*.md", ["a.ts"], ["a.md", "b/a.md"]],
  ["./src/a", ["src/a"], ["a"]],
  ["a**b", ["ab", "axxb"], ["a/b"]],
];

for (const [glob, matching, other] of ROWS) {
  Deno.test(`compileGlob() reads ${glob}`, () => {
    const matches = compileGlob(glob);
    for (const path of matching) equal(matches(path), true, path);
    for (const path of other) equal(matches(path), false, path);
  });
}

Deno.test("comparePaths() orders as a sorted walk meets the files", () => {
  const paths = ["a-b", "a/z", "a", "b", "a/b/c", "a/b-c", "ab"];
  deepEqual(paths.sort(comparePaths), ["a", "a/b/c", "a/b-c", "a/z", "a-b", "ab", "b"]);
});

Deno.test("compileGlob() reads globs with many stars and choices", () => {
  const rows: [glob: string, path: string, fits: boolean][] = [
    ["*a*b*c*", "x/1a2b3c4", true],
    ["*a*b*c*", "x/1a2c3b4", false],
    ["**/a/**/b/*.{ts,js}", "a/x/y/b/z.js", true],
    ["**/a/**/b/*.{ts,js}", "a/x/y/z.js", false],
    ["{a,b}{c,d}{e,[fg]}", "bdg", true],
    ["{a,b}{c,d}{e,[!fg]}", "bdg", false],
    ["!*a*b*c*", "1a2b3c", false],
    ["*-*-*-*.t[a-z]t", "ä-b-c-d.txt", true],
  ];
  for (const [glob, path, fits] of rows) equal(compileGlob(glob)(path), fits, glob);
});

Deno.test("compileGlob() gives an answer for names and globs made to be slow", () => {
  const name = `${"a".repeat(255)}!`;
  equal(compileGlob(`${"*a".repeat(30)}*b`)(name), false);
  equal(compileGlob(`${"{a,a}".repeat(40)}b`)(name), false);
  equal(compileGlob(`${"**/".repeat(30)}b`)("a/".repeat(1000)), false);
});
