import { equal, throws } from "node:assert/strict";
import { compileSearchRegex, type SearchRegexOptions } from "./search_regex.ts";

/** The first match in the text, or undefined. */
function first(pattern: string, text: string, options?: SearchRegexOptions): string | undefined {
  return compileSearchRegex(pattern, options).regex.exec(text)?.[0];
}

const ROWS: [pattern: string, text: string, found: string | undefined][] = [
  ["foo\\d+", "a foo12", "foo12"],
  ["(?i)FOO|bar", "xfoo", "foo"],
  ["(?i:F)oo", "fOo foo", "foo"],
  ["(?P<n>a)b", "ab", "ab"],
  ["\\w+", "— häuser", "häuser"],
  ["\\bétude\\b", "une étude.", "étude"],
  ["\\Bx\\Bé", "axéa", "xé"],
  ["[[:upper:]]+", "abCD", "CD"],
  ["[[:^digit:]]+", "12ab", "ab"],
  ["[]a]+", "x]a", "]a"],
  ["[^]a]+", "]b", "b"],
  ["[a-z&&[^aeiou]]+", "aebcd", "bcd"],
  ["[a-z--b]+", "bac", "ac"],
  ["[\\w.-]+@", "x a.b-c@", "a.b-c@"],
  ["a]b}", "a]b}", "a]b}"],
  ["x{2}", "xxx", "xx"],
  ["c++", "xccc", "ccc"],
  ["\\x41\\u{42}\\x{43}", "ABC", "ABC"],
  ["\\p{Greek}+", "abc αβγ", "αβγ"],
  ["\\p{Lu}", "aB", "B"],
  ["\\pL", "1b", "b"],
  ["end$", "the end\r\nx", "end"],
  ["^x", "a\nx", "x"],
  ["\\.ts\\b", "a.ts", ".ts"],
  ["(?=a)a", "ba", "a"],
  ["a/b-c", "a/b-c", "a/b-c"],
  ["[a-]+", "-a", "-a"],
  ["[!#%,:;<=>@`~&]+", "&~", "&~"],
  ["a|b", "xb", "b"],
];

for (const [pattern, text, found] of ROWS) {
  Deno.test(`compileSearchRegex() reads ${pattern}`, () => equal(first(pattern, text), found));
}

Deno.test("compileSearchRegex() keeps a match on its line unless lines may be spanned", () => {
  for (const pattern of ["a\\s+b", "a[^x]+b", "a\\W+b", "a\\D+b", "a[\\s]+b"]) {
    equal(first(pattern, "a\nb"), undefined, pattern);
    equal(first(pattern, "a\nb", { multiline: true }), "a\nb", pattern);
  }
});

Deno.test("compileSearchRegex() takes a literal as it is", () => {
  equal(first("a.b(", "axb( a.b(", { literal: true }), "a.b(");
  equal(first("A.B", "a.b", { literal: true, ignoreCase: true }), "a.b");
});

for (
  const pattern of ["(a", "a)", "[a", "*a", "foo {", "\\q", "a\\", "(?x)a", "a(?i)b", "[[:no:]]"]
) {
  Deno.test(`compileSearchRegex() refuses ${pattern}`, () => {
    throws(() => compileSearchRegex(pattern), SyntaxError);
  });
}

Deno.test("compileSearchRegex() refuses repetitions that could take exponential time", () => {
  for (const pattern of ["(a+)+b", "(a|ab)*c", "(?:x*)*", "((a+)b?)+"]) {
    throws(() => compileSearchRegex(pattern), /repetition/, pattern);
  }
  equal(first("(ab)+c", "ababc"), "ababc");
  equal(first("(a+)?b", "aab"), "aab");
  throws(() => compileSearchRegex("(?:a|b){2,30}c"), /repetition/);
});

Deno.test("compileSearchRegex() knows a text that every match contains", () => {
  const rows: [pattern: string, literal: string | undefined][] = [
    ["needle", "needle"],
    ["a+needles?\\d", "needle"],
    ["\\w+Error(s|x)", "Error"],
    ["ab*cd", "cd"],
    ["ab{0,2}c", "a"],
    ["xyz+w", "xyz"],
    ["(?:inner)x", "x"],
    ["a|needle", undefined],
    ["(?i)needle", undefined],
    ["\\d+", undefined],
  ];
  for (const [pattern, literal] of rows) {
    equal(compileSearchRegex(pattern).literal, literal, pattern);
  }
  equal(compileSearchRegex("needle", { ignoreCase: true }).literal, undefined);
});
