import assert from "node:assert/strict";
import { globMatch } from "./shell_glob.ts";

Deno.test("globMatch() matches whole texts", () => {
  for (
    const [pattern, text, matches] of [
      ["git push*", "git push --force", true],
      ["git push*", "git pull", false],
      ["*", "", true],
      ["a?c", "abc", true],
      ["a?c", "ac", false],
      ["[a-c]x", "bx", true],
      ["[!a-c]x", "bx", false],
      ["[]]", "]", true],
      ["[[:digit:]]*", "7up", true],
      ["[", "[", true],
      ["*a*b", "xaxb", true],
      ["*a*b", "xaxbc", false],
    ] as const
  ) assert.equal(globMatch(pattern, text), matches, `${pattern} on ${text}`);
});

Deno.test("globMatch() stays fast on patterns that defeat backtracking", () => {
  const start = performance.now();
  assert.equal(globMatch("*a".repeat(500) + "b", "a".repeat(5_000)), false);
  assert.ok(performance.now() - start < 2_000);
});
