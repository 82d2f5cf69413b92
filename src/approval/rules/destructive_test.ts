import assert from "node:assert/strict";
import { isDestructive } from "./destructive.ts";

Deno.test("isDestructive() is true for commands that may change files", () => {
  for (
    const command of [
      "cp a b",
      "echo a > b",
      "rm x",
      "sudo mv a b",
      "sed -i s/a/b/ f",
      "git checkout main",
      "git -C d reset f",
      "find . -exec rm {} +",
      "bash -c 'truncate -s 0 f'",
      "make &> log",
      "find . -name '*.o' -delete",
      "perl -pi -e s/a/b/ f",
      "tar xf a.tar",
      "sort -o f f",
      "gio trash f",
      "curl -o f u",
      "$(".repeat(100),
    ]
  ) assert.equal(isDestructive(command), true, command);
});

Deno.test("isDestructive() is false for commands that only look so", () => {
  for (
    const command of [
      "echo a >> b",
      "git status",
      "npm run rm",
      "cat a 2>/dev/null",
      'echo "a->b"',
      "ls > /dev/null 2>&1",
      "sed s/a/b/ f",
      "grep 'rm ' f",
    ]
  ) assert.equal(isDestructive(command), false, command);
});
