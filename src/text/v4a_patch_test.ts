import { deepEqual, equal, match, throws } from "node:assert/strict";
import { applyHunk, parsePatch, patchPaths } from "./v4a_patch.ts";

/** Applies the hunks of a patch for one file. */
function apply(text: string, hunks: string): string {
  const [operation] = parsePatch(`*** Update File: f\n${hunks}`);
  let out = text;
  for (const hunk of operation?.kind === "update" ? operation.hunks : []) {
    const outcome = applyHunk(out, hunk);
    if (outcome.kind === "failed") return `failed: ${outcome.reason}`;
    if (outcome.kind === "applied") out = outcome.text;
  }
  return out;
}

Deno.test("parsePatch() reads every operation, framed or not", () => {
  const patch = [
    "*** Begin Patch",
    "*** Update File: a.ts",
    "@@ function f @@",
    " keep",
    "-old",
    "+new",
    "\\ No newline at end of file",
    "*** Add File: b.ts",
    "+one",
    "",
    "+two",
    "*** Delete File: c.ts",
    "*** Move File: d.ts -> e/f.ts",
    "*** Update File: g.ts",
    "*** Move to: h.ts",
    "@@",
    "-x",
    "+y",
    "*** End Patch",
  ].join("\n");
  deepEqual(parsePatch(patch), [
    {
      kind: "update",
      path: "a.ts",
      hunks: [{
        hint: "function f",
        lines: [
          { mark: " ", text: "keep" },
          { mark: "-", text: "old" },
          { mark: "+", text: "new" },
        ],
      }],
    },
    { kind: "add", path: "b.ts", content: "one\n\ntwo\n" },
    { kind: "delete", path: "c.ts" },
    { kind: "move", path: "d.ts", moveTo: "e/f.ts" },
    {
      kind: "update",
      path: "g.ts",
      hunks: [{ hint: "", lines: [{ mark: "-", text: "x" }, { mark: "+", text: "y" }] }],
      moveTo: "h.ts",
    },
  ]);
});

Deno.test("parsePatch() accepts headers without spaces and lines without a prefix as context", () => {
  const [operation] = parsePatch("***Update File:a\n@@\nplain\n-x\n+y");
  equal(operation?.path, "a");
  const lines = operation?.kind === "update" ? operation.hunks[0]!.lines : [];
  deepEqual(lines[0], { mark: " ", text: "plain" });
});

Deno.test("parsePatch() refuses updates without hunks, bad moves and paths that climb", () => {
  throws(() => parsePatch("*** Update File: a"), /has no hunks/);
  throws(() => parsePatch("*** Move File: a"), /old -> new/);
  throws(() => parsePatch("*** Add File: ../a\n+x"), /"\.\."/);
  throws(() => parsePatch("*** Move File: a -> b/../../c"), /"\.\."/);
});

Deno.test("parsePatch() finds nothing in plain text", () =>
  deepEqual(parsePatch("just words"), []));

Deno.test("patchPaths() names every path, both ends of a move, and never throws", () => {
  const patch = "*** Update File: a\n*** Move to: z\n*** Move File: b -> c\n***Delete File:d\n+x";
  deepEqual(patchPaths(patch), ["a", "z", "b", "c", "d"]);
  deepEqual(patchPaths("junk"), []);
});

const ROWS: [name: string, text: string, hunks: string, result: string][] = [
  ["replaces between context", "a\nb\nc\n", "@@\n a\n-b\n+B\n c", "a\nB\nc\n"],
  ["deletes whole lines", "a\nb\nc\n", "@@\n-b", "a\nc\n"],
  ["deletes the last line", "a\nb", "@@\n-b", "a"],
  ["deletes the only line", "b\n", "@@\n-b", ""],
  ["changes whole lines, not parts of others", "foobar\nfoo\n", "@@\n-foo\n+x", "foobar\nx\n"],
  ["takes the place behind the hint", "f\nx\ng\nx\n", "@@ g @@\n-x\n+y", "f\nx\ng\ny\n"],
  [
    "forgives indentation",
    "  if a:\n      b\n",
    "@@\n if a:\n-    b\n+    c",
    "  if a:\n      c\n",
  ],
  ["adds behind the hint", "a\nb\nc\n", "@@ b @@\n+x", "a\nb\nx\nc\n"],
  ["adds behind a hint on the last line", "a\nb", "@@ b @@\n+x", "a\nb\nx"],
  ["adds at the end without a hint", "a", "@@\n+x", "a\nx\n"],
  [
    "skips what was applied before",
    "const a = 22222;\n",
    "@@\n-const a = 1;\n+const a = 22222;",
    "const a = 22222;\n",
  ],
  ["applies hunks in order", "a\nb\nc\n", "@@\n-a\n+1\n@@\n-c\n+3", "1\nb\n3\n"],
  ["takes an empty line as blank context", "a\n\nb\n", "@@\n a\n\n-b\n+c", "a\n\nc\n"],
  ["drops an empty line that is not in the file", "a\nb\n", "@@\n a\n\n-b\n+c", "a\nc\n"],
  ["takes a space as blank context", "a\n\nb\n", "@@\n a\n \n-b\n+c", "a\n\nc\n"],
];

for (const [name, text, hunks, result] of ROWS) {
  Deno.test(`applyHunk() ${name}`, () => equal(apply(text, hunks), result));
}

Deno.test("applyHunk() looks near the hint when the fuzzy match is ambiguous", () => {
  const filler = "// filler line that is long enough\n".repeat(100);
  const text = `one()\n  x =  1\n${filler}two()\n  x =  1\n`;
  match(
    apply(text, "@@ two() @@\n-  x = 1\n+  x = 2"),
    /one\(\)\n {2}x = {2}1\n[^]*two\(\)\n {2}x = 2\n$/,
  );
});

Deno.test("applyHunk() says why it failed", () => {
  match(apply("a\nb\n", "@@\n a"), /context only/);
  match(apply("x\ny\nx\n", "@@\n-x\n+z"), /the hunk fits 2 places/);
  match(apply("call(alpha)\n", "@@\n-call(omega, more)\n+z"), /could not find its lines/);
  match(apply("a\nb\na\n", "@@ a @@\n+x"), /several lines \(1, 3\)/);
  match(apply("a\n", "@@ zzz @@\n+x"), /is not in the file/);
});

Deno.test("applyHunk() ends on hunks that stand everywhere", () => {
  const removes = (text: string) => ({ hint: "", lines: [{ mark: "-" as const, text }] });
  equal(applyHunk("a\n\nb\n", removes("")).kind, "failed");
  equal(applyHunk("a".repeat(500_000), removes("a".repeat(50_000))).kind, "failed");
  equal(applyHunk("a\n".repeat(200_000), removes("a\n".repeat(20_000) + "a")).kind, "failed");
  const near = { ...removes("b\nb"), hint: "here" };
  const outcome = applyHunk(`b\nb\n${"a\n".repeat(9)}here\nb\nb\nlast`, near);
  equal(outcome.kind === "applied" && outcome.text, `b\nb\n${"a\n".repeat(9)}here\nlast`);
});
