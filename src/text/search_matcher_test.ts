import { equal, throws } from "node:assert/strict";
import { compileSearch, type SearchOptions } from "./search_matcher.ts";

/** The first match in the text, or undefined. */
function first(pattern: string, text: string, options?: SearchOptions): string | undefined {
  const found = compileSearch(pattern, options).match(text, 0);
  return found && text.slice(found.index, found.end);
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
  Deno.test(`compileSearch() reads ${pattern}`, () => equal(first(pattern, text), found));
}

Deno.test("compileSearch() keeps a match on its line unless lines may be spanned", () => {
  for (const pattern of ["a\\s+b", "a[^x]+b", "a\\W+b", "a\\D+b", "a[\\s]+b"]) {
    equal(first(pattern, "a\nb"), undefined, pattern);
    equal(first(pattern, "a\nb", { multiline: true }), "a\nb", pattern);
  }
});

Deno.test("compileSearch() takes a literal as it is", () => {
  equal(first("a.b(", "axb( a.b(", { literal: true }), "a.b(");
  equal(first("A.B", "a.b", { literal: true, ignoreCase: true }), "a.b");
});

for (
  const pattern of ["(a", "a)", "[a", "*a", "foo {", "\\q", "a\\", "(?x)a", "a(?i)b", "[[:no:]]"]
) {
  Deno.test(`compileSearch() refuses ${pattern}`, () => {
    throws(() => compileSearch(pattern), SyntaxError);
  });
}

Deno.test("compileSearch() knows a text that every match contains", () => {
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
    equal(compileSearch(pattern).literal, literal, pattern);
  }
  equal(compileSearch("needle", { ignoreCase: true }).literal, undefined);
});

Deno.test("compileSearch() reads repetitions of repetitions and choices", () => {
  const rows: [pattern: string, text: string, found: string | undefined][] = [
    ["(a+)+b", "xaab", "aab"],
    ["(a|ab)*c", "aabac", "aabac"],
    ["(?:x*)*y", "xxy", "xxy"],
    ["((a+)b?)+$", "aab\nabab", "aab"],
    ["(?:a|b){2,30}c", "ababc", "ababc"],
    ["a{2}{2}", "aaaaa", "aaaa"],
    ["a+?", "aaa", "a"],
    ["<.+?>", "<a><b>", "<a>"],
    ["(?:a|ab)(?:c|bcd)", "abcd", "abcd"],
    ["(?:ab|a)(?:c|bcd)", "abcd", "abc"],
    ["x*", "aaa", ""],
    ["\\bfoo\\w*\\b", "xfoo foobar", "foobar"],
    ["^\\s*end\\s*$", "x\n  end \r\n", "  end \r"],
    ["(?i:AB)+c", "abABc", "abABc"],
    ["😀+", "x😀😀y", "😀😀"],
    ["[^x]+$", "xx😀", "😀"],
    ["\\A\\w+", "ab\ncd", "ab"],
    ["\\w+\\z", "ab\ncd", "cd"],
    ["(?s)a.+b", "a\rb", "a\rb"],
  ];
  for (const [pattern, text, found] of rows) equal(first(pattern, text), found, pattern);
});

Deno.test("compileSearch() keeps look-around beside a few repetitions, on short lines", () => {
  equal(first("import (?!type)\\w+", "import type\nimport x"), "import x");
  equal(first("(\\w)\\1+", "abccd"), "cc");
  throws(() => compileSearch("(?=(a+)+$)a"), /could take forever/);
  throws(() => compileSearch("(?=a)a?a?a?a?a?a?aaaaaa"), /could take forever/);
  throws(() => compileSearch("(?=a).*.*.*x"), /could take forever/);
});

/** Expressions that take exponential or quadratic time in an engine that goes back. */
const SLOW: [pattern: string, unit: string][] = [
  ["(a+)+b", "a"],
  ["(a?){40}a{40}b", "a"],
  ["(?:(?:(?:a?)?)?b?)*c", "ab"],
  ["((a|a)|(a|a))((a|a)|(a|a))((a|a)|(a|a))((a|a)|(a|a))*c", "a"],
  ["(\\w+\\s?)*$x", "a"],
  ["\\s*\\s*\\s*;", " "],
  [".*foo.*bar.*baz.*qux", "foobarbaz"],
  ["(.*)*\\r$", "x"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
];

Deno.test("compileSearch() takes time that grows with the text alone", () => {
  for (const [pattern, unit] of SLOW) {
    const search = compileSearch(pattern);
    equal(search.find(unit.repeat(200_000), 0), undefined, pattern);
    equal(search.match(unit.repeat(2000), 0), undefined, pattern);
  }
});

Deno.test("compileSearch() stops by the clock when an expression has very many states", () => {
  const search = compileSearch("(?:a|b)*a(?:a|b){400}c");
  let seed = 1;
  const text = Array.from({ length: 20_000 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 2 === 0 ? "a" : "b";
  }).join("");
  throws(() =>
    search.find(text, 0, () => {
      throw new Error("late");
    }), /late/);
});

Deno.test("compileSearch() finds what JavaScript finds", () => {
  let seed = 7;
  const pick = <T>(items: readonly T[]): T => {
    seed = (seed * 48_271) % 2_147_483_647;
    return items[seed % items.length]!;
  };
  const atom = (depth: number): string => {
    if (depth > 2) return pick(["a", "b", "c", "[ab]", "[^a]", "\\b"]);
    const inner = () => atom(depth + 1);
    const kind = pick(["one", "two", "two", "choice", "repeat", "repeat"]);
    if (kind === "one") return inner();
    if (kind === "two") return inner() + inner();
    if (kind === "choice") return `(?:${inner()}|${inner()})`;
    return `(?:${inner()})${pick(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}"])}`;
  };
  for (let i = 0; i < 400; i++) {
    const pattern = atom(0);
    const text = Array.from({ length: 12 }, () => pick(["a", "b", "c", " "])).join("");
    const expected = new RegExp(pattern, "v").exec(text);
    const search = compileSearch(pattern);
    const found = search.match(text, 0);
    const shown = `${pattern} on ${text}`;
    equal(found?.index, expected?.index, shown);
    equal(search.find(text, 0) !== undefined, expected !== null, shown);
    // Repetitions that match nothing end differently in JavaScript, and in ripgrep as here.
    if (/[*?]/.test(pattern.replace(/\(\?:|[abc\]][*?]/g, ""))) continue;
    equal(found && found.end - found.index, expected?.[0].length, shown);
  }
});

Deno.test("compileSearch() looks for long plain texts in time that grows with the text alone", () => {
  const text = "a".repeat(300_000);
  const rows: [half: number, options: SearchOptions][] = [
    [9000, {}],
    [9000, { literal: true }],
    [400, { literal: true, ignoreCase: true }],
    [400, { ignoreCase: true }],
  ];
  for (const [length, options] of rows) {
    const half = "a".repeat(length);
    const search = compileSearch(`${half}b${half}`, options);
    equal(search.find(text, 0), undefined);
    equal(search.find(`${text}b${half}`, 0) !== undefined, true);
  }
});
