import { equal } from "node:assert/strict";
import { diffSequences } from "./line_diff.ts";
import { unifiedDiff } from "./unified_diff.ts";

const NAMES = { from: "a/f", to: "b/f" };

Deno.test("unifiedDiff() is empty for equal texts", () =>
  equal(unifiedDiff("a\n", "a\n", NAMES), ""));

Deno.test("unifiedDiff() shows three lines of context and joins near changes", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
  const after = before.replace("2\n", "two\n").replace("7\n", "").replace("15\n", "15\n16\n");
  equal(
    unifiedDiff(before, after, NAMES),
    "--- a/f\n+++ b/f\n" +
      "@@ -1,10 +1,9 @@\n 1\n-2\n+two\n 3\n 4\n 5\n 6\n-7\n 8\n 9\n 10\n" +
      "@@ -13,3 +12,4 @@\n 13\n 14\n 15\n+16\n",
  );
});

Deno.test("unifiedDiff() marks a missing final newline and new files", () => {
  equal(
    unifiedDiff("a\n", "a", NAMES),
    "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n",
  );
  equal(
    unifiedDiff("", "x\n", { from: "/dev/null", to: "b/f" }),
    "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n",
  );
});

Deno.test("diffSequences() covers both sides and keeps what is common", () => {
  // Every pair over a small alphabet: applying the blocks to a must give b.
  const words = Array.from({ length: 81 }, (_, i) => i.toString(3).padStart(4, "0").split(""));
  for (const a of words) {
    for (const b of words) {
      const out = diffSequences(a, b).flatMap((block) =>
        block.equal ? a.slice(block.aStart, block.aEnd) : b.slice(block.bStart, block.bEnd)
      );
      equal(out.join(""), b.join(""));
    }
  }
});

Deno.test("diffSequences() gives up on a minimal edit for large texts without common lines", () => {
  const a = Array.from({ length: 3000 }, (_, i) => `a${i}`);
  const b = Array.from({ length: 3000 }, (_, i) => `b${i}`);
  equal(diffSequences(a, b).length, 1);
});
