import assert from "node:assert/strict";
import { KeptWorkspace } from "../../../tests/support/kept_workspace.ts";

const CI = ".github/workflows/ci.yml";

/**
 * A clone with branches: `main` is checked out, `other` has other versions and a file more, and
 * `bare` has none of them. `old` is a tag. All kept files of the work are committed.
 */
function clone(options: { isPacked?: boolean } = {}): KeptWorkspace {
  const work = new KeptWorkspace({ "a.txt": "1\n" });
  work.sh(`git init -q -b main . && git add . && git commit -qm start && git branch bare
    mkdir -p ${CI.slice(0, -6)} .vscode docs
    echo main 1 > AGENTS.md; echo on: push > ${CI}; echo '{}' > .vscode/settings.json
    git add . && git commit -qm one && git tag -m old old
    echo main 2 > AGENTS.md && git commit -qam two
    git switch -qc other && echo other > AGENTS.md && echo on: pull > ${CI}
    ln -s AGENTS.md CLAUDE.md && echo o > o.txt && git add . && git commit -qm three
    git rm -q .vscode/settings.json && git commit -qm four && git switch -q main
    git clone -q --bare . ../remote.git && git remote add origin ../remote.git && git fetch -q`);
  if (options.isPacked === true) work.sh("git gc -q && git prune-packed && ls .git/objects/pack");
  return work;
}

/** Runs steps one after the other, each as a command of its own; nothing may be said. */
async function quietly(work: KeptWorkspace, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    assert.deepEqual(await work.searched(() => work.sh(step)), [], step);
    work.sh('test -z "$(git status --porcelain)" || { git status >&2; false; }');
  }
}

for (const isPacked of [false, true]) {
  Deno.test(`KeptFiles lets git switch between versions of before the session, ${isPacked ? "packed" : "loose"}`, async () => {
    await using work = clone({ isPacked });
    await work.remember();
    await quietly(work, [
      "git switch -q other",
      'test "$(cat AGENTS.md)" = other && test -L CLAUDE.md && git switch -q main',
      "test ! -e CLAUDE.md && git switch -q bare",
      "test ! -e .github && test ! -e .vscode && git switch -q other",
      "git switch -q --detach old && grep -q 'main 1' AGENTS.md",
      "git switch -q main && git reset -q --hard HEAD~1",
      "git merge -q --ff-only origin/main && grep -q 'main 2' AGENTS.md",
    ]);
    const done = work.command(() => work.write("AGENTS.md", "evil\n"));
    assert.deepEqual(done, ["changed restored AGENTS.md"]);
    assert.equal(work.read("AGENTS.md"), "main 2\n");
  });
}

Deno.test("KeptFiles lets git rebase and merge commits of the session onto versions of before", async () => {
  await using work = clone();
  await work.remember();
  await quietly(work, [
    "git switch -qc topic bare && echo t > t.txt && git add . && git commit -qm topic",
    "git commit -q --allow-empty -m more && git rebase -q main && grep -q 'main 2' AGENTS.md",
    "git switch -qc second bare && echo s > s.txt && git add . && git commit -qm second",
    "git merge -q --no-edit other && grep -q other AGENTS.md",
    "git switch -q main && git pull -q --rebase origin main",
    "git worktree add -q ../tree other && git worktree remove ../tree",
  ]);
});

Deno.test("KeptFiles lets a stash take a person's changes away and bring them back", async () => {
  await using work = clone();
  work.write("AGENTS.md", "not committed\n");
  work.write("a.txt", "2\n");
  await work.remember();
  assert.deepEqual(work.command(() => work.sh("git stash -q")), []);
  assert.equal(work.read("AGENTS.md"), "main 2\n");
  assert.deepEqual(work.command(() => work.sh("git switch -q other && git switch -q main")), []);
  assert.deepEqual(work.command(() => work.sh("git stash pop -q")), []);
  assert.equal(work.read("AGENTS.md"), "not committed\n");
  assert.deepEqual(work.command(() => work.sh("git commit -qam mine && git switch -q other")), []);
  assert.deepEqual(work.command(() => work.sh("git switch -q main")), []);
  assert.equal(work.read("AGENTS.md"), "not committed\n");
});

Deno.test("KeptFiles keeps a person's changes that git would lose", async () => {
  await using work = clone();
  work.write("AGENTS.md", "not committed\n");
  await work.remember();
  for (
    const script of ["git checkout -q -- AGENTS.md", "git reset -q --hard", "git switch -qf other"]
  ) {
    const done = work.command(() => work.sh(script));
    assert.ok(done.includes("changed restored AGENTS.md"), script);
    assert.equal(work.read("AGENTS.md"), "not committed\n");
  }
});

Deno.test("KeptFiles keeps the version of the commit that is checked out, whatever came before it", async () => {
  await using work = clone();
  await work.remember();
  await quietly(work, [
    "git switch -qc topic bare && git commit -q --allow-empty -m x && git merge -q --no-edit other",
  ]);
  assert.deepEqual(work.command(() => work.sh("rm AGENTS.md")), ["deleted restored AGENTS.md"]);
  assert.equal(work.read("AGENTS.md"), "other\n");
});

/** How a command may try to pass its own version for one of the project's. */
const PLANTED: readonly (readonly [name: string, script: string])[] = [
  ["a commit", "echo evil > AGENTS.md && git commit -qam x"],
  ["a commit of a deletion", "git rm -q AGENTS.md && git commit -qm x"],
  ["an amended commit", "echo evil > AGENTS.md && git commit -qa --amend -m x"],
  [
    "a branch",
    "git switch -qc evil && echo evil > AGENTS.md && git commit -qam x && git switch -q main && git switch -q evil",
  ],
  ["a mode", "chmod +x AGENTS.md && git commit -qam x"],
  [
    "an index",
    "git update-index --cacheinfo 100644,$(echo evil | git hash-object -w --stdin),AGENTS.md && git checkout-index -f AGENTS.md",
  ],
  ["a version of another branch", "git checkout -q other -- AGENTS.md"],
  [
    "a version of another branch, committed",
    "git checkout -q other -- AGENTS.md && git commit -qm x",
  ],
  [
    "a remote branch",
    "echo evil > AGENTS.md && git commit -qam x && git update-ref refs/remotes/origin/main HEAD && git reset -q --hard origin/main",
  ],
  [
    "a remote of its own",
    `git clone -q . ../evil && cd ../evil && echo evil > AGENTS.md && git commit -qam x && cd - &&
     git remote set-url origin ../evil && git fetch -q origin && git reset -q --hard FETCH_HEAD`,
  ],
  [
    "an older tag that is moved",
    "echo evil > AGENTS.md && git commit -qam x && git tag -f old && git switch -q --detach old",
  ],
  [
    "a replaced commit",
    "echo evil > AGENTS.md && git commit -qam x && E=$(git rev-parse HEAD) && git reset -q --soft HEAD~1 && git replace -f HEAD $E && git reset -q --hard",
  ],
  [
    "a graft",
    "echo evil > AGENTS.md && git commit -qam x && git rev-parse HEAD~1 HEAD | paste -s -d ' ' > .git/info/grafts && git switch -q --detach HEAD",
  ],
];

for (const [name, script] of PLANTED) {
  Deno.test(`KeptFiles takes no version for the project's that comes by ${name}`, async () => {
    await using work = clone();
    await work.remember();
    const done = await work.searched(() => work.sh(script));
    assert.equal(done.length, 1, done.join());
    assert.match(done[0]!, /^(?:changed|deleted|mode) restored AGENTS\.md$/);
    assert.equal(work.read("AGENTS.md"), "main 2\n");
    assert.equal(work.mode("AGENTS.md") & 0o111, 0);
  });
}

for (const isPacked of [false, true]) {
  Deno.test(`KeptFiles is not deceived by an object with other content under its id, ${isPacked ? "packed" : "loose"}`, async () => {
    await using work = clone({ isPacked });
    // A second commit that has the version, so that it would not be lost.
    work.sh("git branch keep && echo n > n.txt && git add . && git commit -qm next");
    await work.remember();
    const done = await work.searched(() => {
      work.sh(
        "echo evil > AGENTS.md && git commit -qam x && git rev-parse HEAD HEAD~1 HEAD^{tree} HEAD~1^{tree} > ../ids && git reset -q --soft HEAD~1",
      );
      const ids = Deno.readTextFileSync(`${work.base}/ids`).trim().split("\n");
      const at = (id: string) => work.at(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`);
      for (const [from, to] of [[ids[0]!, ids[1]!], [ids[2]!, ids[3]!]] as const) {
        Deno.mkdirSync(at(to).slice(0, -39), { recursive: true });
        work.sh(`rm -f ${at(to)} && cp ${at(from)} ${at(to)}`);
      }
      work.write("AGENTS.md", "evil\n");
    });
    assert.deepEqual(done, ["changed restored AGENTS.md"]);
  });
}

Deno.test("KeptFiles is not held up by a pipe or a bomb among the objects", async () => {
  await using work = clone();
  await work.remember();
  const done = work.command(() => {
    work.sh("echo evil > AGENTS.md && git commit -qam x && git rev-parse HEAD > ../id");
    const id = Deno.readTextFileSync(`${work.base}/id`).trim();
    const path = `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;
    work.sh(`rm -f ${path} && mkfifo ${path} && mkfifo .git/objects/pack/pack-1.idx`);
    work.sh(
      "mkfifo .git/objects/pack/pack-1.pack && rm -f .git/packed-refs && mkfifo .git/packed-refs",
    );
  });
  assert.deepEqual(done, ["changed restored AGENTS.md"]);
});

Deno.test("KeptFiles puts back what a pull brought, and says how to take it", async () => {
  await using work = clone();
  await work.remember();
  work.sh(`git clone -q ../remote.git ../colleague && cd ../colleague && echo new > AGENTS.md &&
    git commit -qam new && git push -q`);
  const done = work.command(() => work.sh("git pull -q origin main"));
  assert.deepEqual(done, ["changed restored AGENTS.md"]);
  assert.equal(work.told.at(-1)!.isCommitted, true);
  assert.equal(work.read("AGENTS.md"), "main 2\n");
  // The person does it, between commands.
  work.sh("git checkout -- AGENTS.md");
  assert.deepEqual(work.command(() => {}), []);
  assert.equal(work.read("AGENTS.md"), "new\n");
});

Deno.test("KeptFiles keeps the versions of a worktree as those of its repository", async () => {
  await using work = clone();
  work.sh("git worktree add -q ../tree bare");
  const root = `${work.base}/tree`;
  await work.remember({ roots: [root, work.at(".git")] });
  assert.deepEqual(work.command(() => work.sh("cd ../tree && git switch -q other")), []);
  assert.equal(await Deno.readTextFile(`${root}/AGENTS.md`), "other\n");
  const done = work.command(() =>
    work.sh("cd ../tree && echo evil > AGENTS.md && git commit -qam x")
  );
  assert.deepEqual(done, ["changed restored AGENTS.md"]);
});

Deno.test("KeptFiles keeps the directories that git brought", async () => {
  await using work = clone();
  work.sh("git switch -q bare");
  await work.remember();
  await quietly(work, ["git switch -q main"]);
  const done = work.command(() => work.sh("rm -rf .github .vscode"));
  assert.ok(done.some((line) => line.endsWith(".github")), done.join());
  assert.equal(work.read(CI), "on: push\n");
  assert.equal(work.read(".vscode/settings.json"), "{}\n");
});
