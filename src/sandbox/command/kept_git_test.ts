import assert from "node:assert/strict";
import { KeptWorkspace } from "../../../tests/support/kept_workspace.ts";

/** A repository with one commit, and a bare one beside the workspace to push to. */
function repository(): KeptWorkspace {
  const work = new KeptWorkspace({ "a.txt": "1\n" });
  work.sh("git init -q -b main . && git add . && git commit -qm one");
  work.sh("git init -q --bare -b main ../remote.git && git remote add origin ../remote.git");
  return work;
}

const EVERYDAY: readonly (readonly [name: string, script: string])[] = [
  ["commit", "echo 2 >> a.txt && git commit -qam two"],
  ["push -u", "git push -q -u origin main"],
  [
    "switch with tracking",
    "git push -q origin main:other && git fetch -q && git switch -q other && git switch -q main",
  ],
  [
    "branch and rename",
    "git switch -qc x && git branch -m y && git switch -q main && git branch -qD y",
  ],
  [
    "rebase",
    "git switch -qc r HEAD~1 && echo r > r && git add r && git commit -qm r && git rebase -q main && git switch -q main",
  ],
  ["merge", "git merge -q --no-edit r"],
  ["stash", "echo 3 > a.txt && git stash -q && git stash pop -q && git checkout -q a.txt"],
  ["gc", "git gc -q"],
  [
    "remote add and remove",
    "git remote add up ../remote.git && git remote rename up down && git remote remove down",
  ],
  ["init", "git init -q sub1 && git init -q --bare bare.git && git init -q --bare plain"],
  [
    "clone",
    "git clone -q ../remote.git clone && git -C clone commit -q --allow-empty -m x && git -C clone push -q",
  ],
  [
    "worktree add and remove",
    "git worktree add -q wt -b wt && git -C wt commit -q --allow-empty -m x && git worktree add -q w2 && git worktree remove w2",
  ],
  ["worktree move and prune", "git worktree move wt w3 && rm -rf w3 && git worktree prune"],
  [
    "submodule add",
    "git -c protocol.file.allow=always submodule --quiet add ../remote.git lib/s && git commit -qm sub",
  ],
  [
    "submodule update",
    "git -c protocol.file.allow=always submodule --quiet update --init --recursive && git submodule --quiet deinit -f lib/s",
  ],
  ["sparse-checkout", "git sparse-checkout set --cone lib && git sparse-checkout disable"],
  [
    "user settings",
    "git config user.name x && git config user.email x@example.com && git config pull.rebase true",
  ],
  ["rm of clones", "rm -rf clone sub1 bare.git plain"],
];

Deno.test("KeptFiles lets everyday commands of git do their work without a word", async (t) => {
  await using work = repository();
  await work.remember();
  for (const [name, script] of EVERYDAY) {
    await t.step(name, async () => {
      assert.deepEqual(await work.searched(() => work.sh(script)), []);
      work.sh("git status && git fsck --no-dangling");
    });
  }
  assert.match(work.read(".git/config"), /\[branch "main"\]/);
});

const RUNS_SOMETHING = `core.hooksPath core.fsmonitor core.sshCommand core.pager core.editor
  core.attributesFile alias.x filter.x.clean diff.external credential.helper include.path
  url.x.insteadOf remote.origin.uploadpack gpg.program http.proxy protocol.ext.allow core.worktree
  merge.x.driver diff.x.textconv sequence.editor remote.origin.proxy`.split(/\s+/);

Deno.test("KeptFiles takes out settings that make git run or read something", async () => {
  await using work = repository();
  await work.remember();
  const before = work.read(".git/config");
  for (const key of RUNS_SOMETHING) {
    const done = work.command(() => work.sh(`git config '${key}' '!sh -c id'`));
    assert.deepEqual(done, ["changed mended .git/config"], key);
    assert.deepEqual(work.told.at(-1)!.keys, [key.replace(/[^.]*$/, (last) => last.toLowerCase())]);
    work.sh(`! git config --local --get '${key}'`);
    // Git itself leaves the header of a section behind.
    const now = work.read(".git/config").replaceAll(/^\[[^\]]+\]\n(?=\[|$(?![\s\S]))/gm, "");
    assert.equal(now, before, key);
  }
});

Deno.test("KeptFiles leaves the data that came with a forbidden setting", async () => {
  await using work = repository();
  await work.remember();
  const done = work.command(() =>
    work.sh("git config core.hooksPath x && git push -q -u origin main && git config alias.y '!z'")
  );
  assert.deepEqual(done, ["changed mended .git/config"]);
  assert.deepEqual(work.told[0]!.keys, ["core.hookspath", "alias.y"]);
  work.sh('test "$(git rev-parse --abbrev-ref @{u})" = origin/main');
});

Deno.test("KeptFiles restores a person's setting that a command removed or changed", async () => {
  await using work = repository();
  work.sh("git config core.hooksPath .husky && git config alias.st status");
  await work.remember();
  for (const script of ["git config core.hooksPath /x", "git config --unset alias.st"]) {
    assert.deepEqual(work.command(() => work.sh(script)), ["changed restored .git/config"]);
  }
  work.sh('test "$(git config core.hooksPath)" = .husky && git st');
});

Deno.test("KeptFiles judges repositories that commands make, under any name", async () => {
  await using work = repository();
  await work.remember();
  const done = await work.searched(() => {
    work.sh("git init -q new && git -C new config core.fsmonitor ./x");
    work.sh("echo x > new/.git/hooks/pre-commit && chmod +x new/.git/hooks/pre-commit");
    work.sh("mkdir deep && git init -q --bare deep/plain && git -C deep/plain config alias.x '!x'");
    work.sh("git init -q --bare b.git && git -C b.git config core.pager x");
    work.sh("mkdir ptr && echo 'gitdir: ../evil' > ptr/.git");
  });
  assert.deepEqual(done.sort(), [
    "created mended b.git/config",
    "created mended deep/plain/config",
    "created mended new/.git/config",
    "created removed new/.git/hooks/pre-commit",
    "created removed ptr/.git",
  ]);
  work.sh("! git -C new config core.fsmonitor && git -C new status");
  const later = await work.searched(() => work.sh("git -C new config core.sshCommand x"));
  assert.deepEqual(later, ["changed mended new/.git/config"]);
});

for (const key of ["roots", "gitDirs"] as const) {
  Deno.test(`KeptFiles keeps the common directory of a worktree that is one of its ${key}`, async () => {
    await using work = repository();
    work.sh("git worktree add -q ../tree -b tree");
    const [root, common] = [`${work.base}/tree`, work.at(".git")];
    await work.remember(
      key === "roots" ? { roots: [root, common] } : { roots: [root], gitDirs: [common] },
    );
    commonDirectoryStays(work);
  });
}

function commonDirectoryStays(work: KeptWorkspace): void {
  const done = work.command(() => {
    work.sh("git commit -q --allow-empty -m x && git config user.name x");
    work.sh("git config core.pager x && echo x > .git/hooks/post-commit");
    work.sh("echo ../../../evil > .git/worktrees/tree/commondir");
    work.sh("echo 'gitdir: /tmp' > ../tree/.git");
  });
  assert.deepEqual(done.sort(), [
    "changed mended .git/config",
    "changed restored .git",
    "changed restored .git/worktrees/tree/commondir",
    "created removed .git/hooks/post-commit",
  ]);
  work.sh("git -C ../tree status");
}

Deno.test("KeptFiles removes attributes and a common directory from a repository", async () => {
  await using work = repository();
  await work.remember();
  const done = work.command(() => {
    work.write(".git/info/attributes", "* filter=x\n");
    work.write(".git/commondir", "../evil\n");
    work.write(".git/config.worktree", "[core]\n\tsparseCheckout = true\n\tpager = x\n");
  });
  assert.deepEqual(done.sort(), [
    "created mended .git/config.worktree",
    "created removed .git/commondir",
    "created removed .git/info/attributes",
  ]);
});
