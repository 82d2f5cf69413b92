/** Texts made to keep the comparing busy: an answer comes after a bounded amount of work. */
import assert from "node:assert/strict";
import { Effort, EffortSpent } from "./effort.ts";
import { replacePassage } from "./fuzzy_replace.ts";
import { nearestPassages } from "./nearest_passage.ts";
import { applyHunk, parsePatch } from "./v4a_patch.ts";

function lines(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join("\n");
}

Deno.test("within() gives what the work gives until the effort is spent, and never after", () => {
  const effort = new Effort(10);
  assert.equal(effort.within(() => (effort.spend(6), "done"), "given up"), "done");
  assert.equal(effort.isSpent, false);
  assert.equal(effort.within(() => (effort.spend(6), "done"), "given up"), "given up");
  assert.equal(effort.isSpent, true);
  assert.equal(effort.within(() => "done", "given up"), "given up");
  assert.throws(() => effort.spend(0), EffortSpent);
  assert.throws(() => new Effort().within(() => assert.fail("a bug"), 0), /a bug/);
});

const BRACES = lines(20_000, (i) => i % 2 === 0 ? "{" : "}");
/** A passage that is not there, and a text in which looking for it takes hours. */
const HOPELESS: Record<string, [text: string, oldText: string]> = {
  "anchors on every line": [BRACES, `{\n${lines(300, (i) => `q${i}`)}\n}`],
  "anchors on every line, the middle nearly alike": [BRACES, `{\n${"{\n}\n".repeat(2_000)}x\n}`],
  "equal lines but for the last": ["a\n".repeat(100_000), `${" a\n".repeat(50_000)}b`],
  "long lines that are nearly alike": [
    lines(50, (i) => "ab".repeat(20_000) + i),
    `${"ba".repeat(20_000)}x`,
  ],
  "one endless line": ["a".repeat(1_000_000), `${"a".repeat(50_000)}b${"a".repeat(50_000)}`],
  "typography on every line": ["“a”\n".repeat(50_000), `${' "a"\n'.repeat(20_000)}b`],
};

for (const [name, [text, oldText]] of Object.entries(HOPELESS)) {
  Deno.test(`replacePassage() and nearestPassages() end with ${name}`, () => {
    const outcome = replacePassage(text, { oldText, newText: "z" });
    assert.ok(outcome.kind === "refused" || outcome.kind === "not_found", outcome.kind);
    if (outcome.kind === "refused") assert.match(outcome.reason, /too much text to look for/);
    assert.ok(nearestPassages(text, oldText).length < 5_000);
  });
}

Deno.test("replacePassage() finds exact text however large, and slips in ordinary files", () => {
  const text = lines(50_000, (i) => `  const value${i} = compute(${i});`);
  const exact = replacePassage(text, { oldText: "value49999 =", newText: "value =" });
  assert.equal(exact.kind === "replaced" && exact.strategy, "exact");
  const slip = replacePassage(text, {
    oldText: "const value40000 = compute(40000);\nconst value40001 = compute(40001);",
    newText: "gone",
  });
  assert.equal(slip.kind, "replaced");
});

Deno.test("applyHunk() shares one effort among the hunks of a patch; exact ones need none", () => {
  const text = lines(20_000, (i) => `line${i}`);
  const hunks = (hunk: (i: number) => string) => {
    const [operation] = parsePatch(`*** Update File: a\n${lines(300, hunk)}`);
    assert.ok(operation?.kind === "update");
    return operation.hunks;
  };
  const effort = new Effort(20_000_000);
  const hopeless = hunks((i) => `@@ nothing @@\n context ${i}\n-lane${i}\n+l${i}`);
  const outcomes = hopeless.map((hunk) => applyHunk(text, hunk, effort));
  assert.ok(outcomes.every(({ kind }) => kind === "failed"));
  const last = outcomes.at(-1)!;
  assert.match(last.kind === "failed" ? last.reason : "", /the hunk is not in the file exactly/);
  let changed = text;
  for (const hunk of hunks((i) => `@@ x${i} @@\n-line${i}\n+l${i}`)) {
    const outcome = applyHunk(changed, hunk, effort);
    assert.equal(outcome.kind, "applied");
    if (outcome.kind === "applied") changed = outcome.text;
  }
  assert.ok(changed.startsWith("l0\nl1\n"));
});

Deno.test("applyHunk() ends on a hunk that removes an empty line", () => {
  const hunk = { hint: "", lines: [{ mark: "-" as const, text: "" }] };
  assert.equal(applyHunk("a\n\nb\n", hunk).kind, "failed");
});
