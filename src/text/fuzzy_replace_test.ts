import { deepEqual, equal, match } from "node:assert/strict";
import { fuzzyFind } from "./fuzzy_match.ts";
import { type Replacement, replacePassage } from "./fuzzy_replace.ts";

/** `[text, old, new, result, strategy]` */
type Row = [text: string, oldText: string, newText: string, result: string, strategy: string];

const ROWS: Row[] = [
  ["a\nb\nc", "b", "B", "a\nB\nc", "exact"],
  // line_trimmed: indentation of the place goes on to every line of the new text
  [
    "class A:\n    def f():\n        return 1\n",
    "def f():\n    return 1",
    "def f():\n    x = 2\n    return x",
    "class A:\n    def f():\n        x = 2\n        return x\n",
    "line_trimmed",
  ],
  ["\tif x {\n\t\ty()\n\t}\n", "if x {\ny()\n}", "if x {\n}", "\tif x {\n\t}\n", "line_trimmed"],
  ["one  \ntwo\n", "one\ntwo\n", "1\n2\n", "1\n2\n", "line_trimmed"],
  ["x =  1", "x = 1", "x = 2", "x = 2", "whitespace_normalized"],
  ["f(a,\t b)", "a, b", "c", "f(c)", "whitespace_normalized"],
  // indentation_flexible: also a passage that ends within a line
  [
    "  if (a) {\n      b(c);\n  }",
    "if (a) {\nb(",
    "if (a) {\n  log();\n  b(",
    "  if (a) {\n    log();\n    b(c);\n  }",
    "indentation_flexible",
  ],
  ["a\nb", "a\\nb", "c", "c", "escape_normalized"],
  ["x = foo(1);", "\n foo(1) ", "bar(2)", "x = bar(2);", "trimmed_boundary"],
  ["say “hi” now", 'say "hi" now', 'say "bye" now', "say “bye” now", "unicode_normalized"],
  ["wait… — done", "wait... - done", "wait... - over", "wait… — over", "unicode_normalized"],
  ["wait…", "wait...", "wait..", "wait..", "unicode_normalized"],
  ["a\u00a0b", "a b", "a c", "a\u00a0c", "unicode_normalized"],
  [
    "start\n  one line here\n  second line\nend\n",
    "start\n  one line there\n  2nd line\nend",
    "start\nend",
    "start\nend\n",
    "block_anchor",
  ],
  ["alpha\nbeta\ngamma", "alpah\nbeta\ngamma", "x\ny\nz", "x\ny\nz", "context_aware"],
];

for (const [text, oldText, newText, result, strategy] of ROWS) {
  Deno.test(`replacePassage() finds ${JSON.stringify(oldText)} by ${strategy}`, () => {
    deepEqual(replacePassage(text, { oldText, newText }), {
      kind: "replaced",
      text: result,
      strategy,
      count: 1,
    });
  });
}

function reason(text: string, edit: Replacement): string {
  const outcome = replacePassage(text, edit);
  return outcome.kind === "refused" ? outcome.reason : outcome.kind;
}

Deno.test("replacePassage() refuses empty, blank and identical strings", () => {
  match(reason("a", { oldText: "", newText: "x" }), /empty/);
  match(reason("a", { oldText: " \n", newText: "x" }), /empty/);
  match(reason("a", { oldText: "a", newText: "a" }), /same/);
});

Deno.test("replacePassage() lists up to five places of an ambiguous passage", () => {
  const text = Array.from({ length: 7 }, (_, i) => `v${i} = call()`).join("\n");
  const complaint = reason(text, { oldText: "call()", newText: "x" });
  match(complaint, /fits 7 places/);
  match(complaint, /L1: call\(\)\n/);
  match(complaint, /L5: call\(\)\n… and 2 more/);
});

Deno.test("replacePassage() replaces every place with replaceAll", () => {
  const outcome = replacePassage("a b a", { oldText: "a", newText: "c", replaceAll: true });
  deepEqual(outcome, { kind: "replaced", text: "c b c", strategy: "exact", count: 2 });
});

Deno.test("replacePassage() refuses replaceAll over places that are only similar", () => {
  const text = "function alpha()\nx\nfunction alphb()\nx\n";
  match(reason(text, { oldText: "function alphx()", newText: "y", replaceAll: true }), /exact/);
});

Deno.test("replacePassage() refuses escapes that the file does not have", () => {
  match(reason("it's ok", { oldText: "it\\'s ok", newText: "it\\'s fine" }), /backslash/);
  match(reason('say "a" b', { oldText: 'say \\"a\\" b', newText: 'say \\"c\\" b' }), /backslash/);
});

Deno.test("replacePassage() refuses doubled backslashes", () => {
  const text = "const pattern = /\\d+\\s*/;";
  const edit = { oldText: "const pattern = /\\\\d+\\\\s*/;", newText: "const pattern = /x/;" };
  match(reason(text, edit), /doubled/);
});

Deno.test("replacePassage() turns a written \\t into a tab only where the place has tabs", () => {
  const tabs = replacePassage("\tkey  = 1", { oldText: "\tkey = 1", newText: "\\tkey = 2" });
  equal(tabs.kind === "replaced" && tabs.text, "\tkey = 2");
  const none = replacePassage("key  = 1", { oldText: "key = 1", newText: "key = '\\t'" });
  equal(none.kind === "replaced" && none.text, "key = '\\t'");
  const newline = replacePassage("key  = 1", { oldText: "key = 1", newText: "a\\nb" });
  equal(newline.kind === "replaced" && newline.text, "a\\nb");
});

Deno.test("replacePassage() says unchanged when the edit was made before", () => {
  const text = "const timeout = 60;\n";
  const edit = { oldText: "const timeout = 30;", newText: "const timeout = 60;" };
  equal(replacePassage(text, edit).kind, "unchanged");
  equal(
    replacePassage("all new text here", { oldText: "gone words", newText: "new text here" }).kind,
    "unchanged",
  );
});

Deno.test("replacePassage() does not take a short new text for an edit made before", () => {
  equal(replacePassage("abc x", { oldText: "missing", newText: "x" }).kind, "not_found");
});

Deno.test("replacePassage() takes the final newline of a passage with it", () => {
  const outcome = replacePassage("a\n  b\nc\n", { oldText: "b\n", newText: "" });
  equal(outcome.kind === "replaced" && outcome.text, "a\n  c\n");
});

Deno.test("fuzzyFind() needs several block candidates to be more alike than a single one", () => {
  const block = (middle: string) => `begin\n${middle}\nend\n`;
  const wanted = "begin\nabcdefghij\nend";
  const single = block("abcdexxxxx");
  equal(fuzzyFind(single, wanted)?.strategy, "block_anchor");
  equal(fuzzyFind(single + block("abcdeyyyyy"), wanted), undefined);
});

Deno.test("replacePassage() gives an answer for long passages that almost fit everywhere", () => {
  const passages = ["a", "a\n", "  \n", "“x” \n", "ab ab\n", "\\n"].map((unit) =>
    unit.repeat(6000)
  );
  for (const text of passages) {
    const half = text.slice(0, text.length / 2);
    for (const oldText of [`${half}zz`, `zz${half}`, `${half}zz${half}`]) {
      match(replacePassage(text, { oldText, newText: "new" }).kind, /./);
    }
  }
});
