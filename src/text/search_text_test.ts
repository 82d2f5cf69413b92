import { deepEqual, equal } from "node:assert/strict";
import { compileSearch } from "./search_matcher.ts";
import { searchText, type TextPage } from "./search_text.ts";

const ALL: TextPage = { from: 0, to: 100, context: 0, multiline: false, countNewlines: false };

/** Rows as `12:match` and `13-neighbour`. */
function rows(text: string, pattern: string, page: Partial<TextPage> = {}): string[] {
  const search = compileSearch(pattern, { multiline: page.multiline === true });
  return searchText(text, search, { ...ALL, ...page }).rows
    .map(({ line, text, match }) => `${line}${match ? ":" : "-"}${text}`);
}

Deno.test("searchText() gives each matching line once with its number", () => {
  deepEqual(rows("xx\na\nx x\r\n", "x"), ["1:xx", "3:x x"]);
});

Deno.test("searchText() shows neighbours once and marks only the page as matches", () => {
  const text = "1\nx2\nx3\n4\n5\nx6\n7";
  deepEqual(rows(text, "x", { context: 1 }), ["1-1", "2:x2", "3:x3", "4-4", "5-5", "6:x6", "7-7"]);
  deepEqual(rows(text, "x", { context: 1, from: 1, to: 2 }), ["2-x2", "3:x3", "4-4"]);
});

Deno.test("searchText() counts everything, also outside the page", () => {
  const found = searchText("x\nx\ny\nx", compileSearch("x"), { ...ALL, to: 1 });
  equal(found.count, 3);
  equal(found.rows.length, 1);
});

Deno.test("searchText() finds empty lines but nothing behind the final newline", () => {
  deepEqual(rows("a\n\nb\n", "^$"), ["2:"]);
  deepEqual(rows("", "^"), []);
  deepEqual(rows("a", "$"), ["1:a"]);
});

Deno.test("searchText() makes every line of a spanning match a row", () => {
  deepEqual(rows("a\nb\nc\nd", "b\\nc", { multiline: true }), ["2:b", "3:c"]);
});

Deno.test("searchText() cuts long lines and counts newlines on demand", () => {
  const found = searchText(`${"y".repeat(900)}\nz\n`, compileSearch("y"), {
    ...ALL,
    countNewlines: true,
  });
  equal(found.rows[0]!.text.length, 500);
  equal(found.newlines, 2);
});

Deno.test("searchText() searches lines of any length whole", () => {
  const blob = "a".repeat(300_000);
  const text = `first zzz\n${blob}\nthird zzz\n${blob}Error${blob}\nlast_Error\n`;
  deepEqual(rows(text, "\\w+zzz$").length, 0);
  deepEqual(rows(text, "\\w+ zzz$"), ["1:first zzz", "3:third zzz"]);
  deepEqual(rows(text, "\\w+Error"), [`4:${"a".repeat(500)}`, "5:last_Error"]);
  deepEqual(rows(text, "(a+)+Error$"), []);
});
