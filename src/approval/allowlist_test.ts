import assert from "node:assert/strict";
import { allowsCommand, allowsRule } from "./allowlist.ts";

Deno.test("allowsCommand() covers one plain command and nothing that hides a second", () => {
  for (
    const [entry, command, covered] of [
      ["git push*", "git push --force o m", true],
      ["git push*", "git push; rm x", false],
      ["git push*", "git push $(id)", false],
      ["git push*", "git push | sh", false],
      ["git push*", "git push > f", false],
      ["git push*", "git push &", false],
      ["git push*", "git push\nrm x", false],
      ["echo*", "echo 'a;b'", true],
      ["echo*", "echo $HOME", true],
      ["echo*", 'echo "$HOME"', false],
      ["echo*", "echo `id`", false],
      ["echo*", "echo 'open", false],
      ["python -c*", "python -c 'a;b'", false],
      ["python -c*", "python -c a", true],
      ["rm -rf build", "rm -rf build", true],
      ["rm -rf build", "rm -rf build2", false],
    ] as const
  ) assert.equal(allowsCommand([entry], command), covered, `${entry} on ${command}`);
});

Deno.test("allowsRule() knows older names of a rule", () => {
  const rule = { key: "find -delete", aliases: ["find"] };
  assert.equal(allowsRule(["find"], rule), true);
  assert.equal(allowsRule(["find -delete"], rule), true);
  assert.equal(allowsRule(["fin*"], rule), false);
});
