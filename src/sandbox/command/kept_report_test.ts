import assert from "node:assert/strict";
import { describeForModel, describeForPerson, type PutBack } from "./kept_report.ts";

function putBack(shown: string, rest: Partial<PutBack> = {}): PutBack {
  return {
    path: `/w/${shown}`,
    shown,
    kind: "instructions",
    change: "changed",
    outcome: "restored",
    ...rest,
  };
}

Deno.test("describeForModel() says what was undone and how to get it done", () => {
  const text = describeForModel([
    putBack(".git/hooks/pre-commit", { change: "created", outcome: "removed", copy: "/s/x" }),
    putBack(".git/config", { outcome: "mended", keys: ["core.hookspath"] }),
  ]);
  assert.equal(
    text,
    "hermes put back .git/hooks/pre-commit (new, removed), .git/config (without core.hookspath): " +
      "commands may not change what git, editors, build servers or agents run or follow. Ask the user, or use a " +
      "file tool, which asks.",
  );
  assert.equal(describeForModel([]), "");
});

Deno.test("describeForModel() and describeForPerson() say how to take what a commit has", () => {
  const changes = [putBack("AGENTS.md", { isCommitted: true }), putBack("a b.md")];
  assert.match(
    describeForModel(changes),
    /which asks\. git shows them as changed; leave that, the user can take them: git checkout -- AGENTS\.md$/,
  );
  assert.match(
    describeForPerson([putBack(".claude/a b.md", { isCommitted: true })]),
    /has other versions; if you want those, run yourself: git checkout -- '\.claude\/a b\.md'\.$/,
  );
});

Deno.test("describeForModel() names a few files and counts the rest", () => {
  const text = describeForModel(Array.from({ length: 9 }, (_, i) => putBack(`.claude/${i}`)));
  assert.match(text, /\.claude\/4 \(old content restored\) and 4 more:/);
});

Deno.test("describeForModel() and describeForPerson() print no control characters", () => {
  const changes = [putBack(".claude/a\n\x1b[31mb\u202e")];
  const text = describeForModel(changes) + describeForPerson(changes);
  assert.deepEqual(["\n", "\x1b", "\u202e"].filter((char) => text.includes(char)), []);
});

Deno.test("describeForPerson() says where the command's version lies", () => {
  assert.equal(
    describeForPerson([putBack("AGENTS.md", { copy: "/s/AGENTS.md" })]),
    "A command changed protected files; put back: AGENTS.md (old content restored). " +
      "The command's version: /s/AGENTS.md.",
  );
});

Deno.test("describeForPerson() tells what stays changed, and what a killed session left", () => {
  const text = describeForPerson([
    putBack("AGENTS.md", { outcome: "left", reason: "too large to be remembered" }),
    putBack(".envrc", { outcome: "left", change: "unknown" }),
  ]);
  assert.equal(
    text,
    "A command changed protected files that stay changed: AGENTS.md (too large to be " +
      "remembered). A session was killed here. Changed since: .envrc. If that was not you, look at it.",
  );
  assert.equal(describeForModel([putBack("x", { outcome: "left", change: "unknown" })]), "");
});
