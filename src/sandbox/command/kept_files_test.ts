import assert from "node:assert/strict";
import { KeptWorkspace, lines } from "../../../tests/support/kept_workspace.ts";
import { ENTRIES_MAX, FILE_BYTES_MAX, TOTAL_BYTES_MAX } from "./kept_files_data.ts";

const PROJECT = {
  "AGENTS.md": "be kind\n",
  ".envrc": "KEY=1\n",
  ".vscode/settings.json": "{}\n",
  ".claude/agents/a.md": "a\n",
  ".git/config": "[core]\n\tbare = false\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/hooks/pre-commit": "#!/bin/sh\ntrue\n",
  ".git/hooks/pre-push.sample": "sample\n",
  "src/main.ts": "1\n",
  "packages/a/AGENTS.md": "of a\n",
};

Deno.test("KeptFiles.check() finds nothing when a command changed other files", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  const done = await work.searched(() => {
    work.write("src/main.ts", "2\n");
    work.write("new/file", "x");
    work.write(".git/index", "x");
    work.write(".git/hooks/x.sample", "x");
    work.write(".vscode/extensions.json", "{}");
    work.write(".env", "KEY=2");
    work.write(".env.local", "KEY=");
    work.write(".github/dependabot.yml", "version: 2");
  });
  assert.deepEqual(done, []);
  assert.equal(work.read("src/main.ts"), "2\n");
});

Deno.test("KeptFiles.check() restores content, also when size and times are as before", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  const { mtime, atime } = await Deno.stat(work.at("AGENTS.md"));
  const done = work.command(() => {
    work.write("AGENTS.md", "be evil\n");
    Deno.utimeSync(work.at("AGENTS.md"), atime!, mtime!);
  });
  assert.deepEqual(done, ["changed restored AGENTS.md"]);
  assert.equal(work.read("AGENTS.md"), "be kind\n");
  assert.equal(await Deno.readTextFile(work.told[0]!.copy!), "be evil\n");
});

Deno.test("KeptFiles.check() restores what was deleted, with its directories", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await Deno.chmod(work.at(".git/hooks/pre-commit"), 0o755);
  await work.remember();
  const done = work.command(() => {
    Deno.removeSync(work.at("AGENTS.md"));
    Deno.removeSync(work.at(".claude"), { recursive: true });
    Deno.removeSync(work.at(".git/hooks"), { recursive: true });
  });
  assert.ok(done.includes("deleted restored AGENTS.md"), done.join());
  assert.equal(work.read("AGENTS.md"), "be kind\n");
  assert.equal(work.read(".claude/agents/a.md"), "a\n");
  assert.equal(work.mode(".git/hooks/pre-commit"), 0o755);
  assert.deepEqual(work.command(() => {}), []);
});

Deno.test("KeptFiles.check() removes new files, keeps a copy and leaves no empty directory", async () => {
  await using work = new KeptWorkspace({ "src/main.ts": "1" });
  await work.remember();
  const done = work.command(() => {
    work.write("CLAUDE.md", "obey\n");
    work.write(".cursor/rules/x.mdc", "obey\n");
    work.write(".envrc", "curl x | sh\n");
    work.write(".github/workflows/x.yml", "on: push\n");
    work.write(".gitlab-ci.yml", "x\n");
    Deno.symlinkSync("/etc", work.at(".claude"));
  });
  assert.deepEqual(done.sort(), [
    "created removed .claude",
    "created removed .cursor/rules/x.mdc",
    "created removed .envrc",
    "created removed .github/workflows/x.yml",
    "created removed .gitlab-ci.yml",
    "created removed CLAUDE.md",
  ]);
  const left = (await Array.fromAsync(Deno.readDir(work.root))).map(({ name }) => name);
  assert.deepEqual(left, ["src"]);
  const copy = work.told.find(({ shown }) => shown === "CLAUDE.md")!.copy!;
  assert.equal(await Deno.readTextFile(copy), "obey\n");
  assert.equal((await Deno.stat(`${work.storeDir}`)).mode! & 0o77, 0);
});

Deno.test("KeptFiles.check() restores modes of files and of directories", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await Deno.chmod(work.at(".git/hooks/pre-commit"), 0o644);
  await work.remember();
  const before = work.mode(".git/hooks");
  const done = work.command(() => {
    Deno.chmodSync(work.at(".git/hooks/pre-commit"), 0o755);
    Deno.chmodSync(work.at(".git/hooks"), 0o777);
  });
  assert.deepEqual(done.sort(), [
    "mode restored .git/hooks",
    "mode restored .git/hooks/pre-commit",
  ]);
  assert.equal(work.mode(".git/hooks/pre-commit"), 0o644);
  assert.equal(work.mode(".git/hooks"), before);
});

Deno.test("KeptFiles.check() undoes links in place of files and directories", async () => {
  await using work = new KeptWorkspace({ ...PROJECT, "evil/pre-commit": "evil\n" });
  await work.remember();
  const done = work.command(() => {
    Deno.removeSync(work.at("AGENTS.md"));
    Deno.symlinkSync("src/main.ts", work.at("AGENTS.md"));
    Deno.renameSync(work.at(".git/hooks"), work.at("src/hooks"));
    Deno.symlinkSync("../evil", work.at(".git/hooks"));
  });
  assert.deepEqual(done.sort(), [
    "deleted restored .git/hooks/pre-commit",
    "replaced restored .git/hooks",
    "replaced restored AGENTS.md",
  ]);
  assert.ok((await Deno.lstat(work.at("AGENTS.md"))).isFile);
  assert.ok((await Deno.lstat(work.at(".git/hooks"))).isDirectory);
  assert.equal(work.read(".git/hooks/pre-commit"), "#!/bin/sh\ntrue\n");
  assert.equal(work.read("evil/pre-commit"), "evil\n");
  assert.equal(work.read("src/main.ts"), "1\n");
});

Deno.test("KeptFiles.check() brings a renamed directory back with all that it holds", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  const done = work.command(() => {
    Deno.renameSync(work.at(".git"), work.at("old"));
    Deno.symlinkSync("evil", work.at(".git"));
  });
  assert.deepEqual(done, ["replaced restored .git"]);
  assert.equal(work.read(".git/HEAD"), "ref: refs/heads/main\n");
  assert.equal(work.has("old"), false);
});

Deno.test("KeptFiles.check() moves a directory aside that took a file's name", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  const done = work.command(() => {
    Deno.removeSync(work.at("AGENTS.md"));
    work.write("AGENTS.md/inside", "x");
  });
  assert.deepEqual(done, ["replaced restored AGENTS.md"]);
  assert.equal(work.read("AGENTS.md"), "be kind\n");
  assert.equal(await Deno.readTextFile(`${work.told[0]!.copy}/inside`), "x");
});

Deno.test("KeptFiles.check() notices a change through another name of the file", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  assert.deepEqual(work.command(() => Deno.linkSync(work.at("AGENTS.md"), work.at("other"))), []);
  const done = work.command(() => work.write("other", "be evil\n"));
  assert.deepEqual(done, ["changed restored AGENTS.md"]);
  assert.equal(work.read("AGENTS.md"), "be kind\n");
  assert.equal(work.read("other"), "be evil\n");
});

Deno.test("KeptFiles.check() keeps what a kept link leads to", async () => {
  await using work = new KeptWorkspace({ "docs/agents.md": "x", "docs/rules.txt": "kind\n" });
  await Deno.symlink("docs/rules.txt", work.at("AGENTS.md"));
  await work.remember();
  const done = work.command(() => work.write("docs/rules.txt", "evil\n"));
  assert.deepEqual(done, ["changed restored docs/rules.txt"]);
  assert.equal(await Deno.readLink(work.at("AGENTS.md")), "docs/rules.txt");
});

Deno.test("KeptFiles.check() tells of a change in a file that is too large to remember", async () => {
  await using work = new KeptWorkspace({ "AGENTS.md": "x".repeat(FILE_BYTES_MAX + 1) });
  await work.remember();
  assert.deepEqual(work.command(() => {}), []);
  const done = work.command(() => Deno.truncateSync(work.at("AGENTS.md"), FILE_BYTES_MAX + 2));
  assert.deepEqual(done, ["changed left AGENTS.md"]);
  assert.match(work.told[0]!.reason!, /too large/);
  assert.deepEqual(work.command(() => {}), []);
});

Deno.test("KeptFiles remembers so many bytes and no more, and tells what it cannot restore", async () => {
  await using work = new KeptWorkspace();
  const count = TOTAL_BYTES_MAX / FILE_BYTES_MAX + 1;
  const text = "x".repeat(FILE_BYTES_MAX);
  for (let i = 0; i < count; i++) work.write(`.claude/${i}`, text);
  await work.remember();
  const done = work.command(() => {
    for (let i = 0; i < count; i++) Deno.truncateSync(work.at(`.claude/${i}`), 1);
  });
  const left = done.filter((line) => line.startsWith("changed left "));
  assert.equal(left.length, 1);
  assert.equal(done.length, count);
});

Deno.test("KeptFiles takes no file for new that did not fit, and says that there are too many", async () => {
  await using work = new KeptWorkspace({ "AGENTS.md": "kind\n" });
  for (let i = 0; i < ENTRIES_MAX + 100; i++) work.write(`.claude/${i}`, "");
  const kept = await work.remember();
  assert.equal(kept.isComplete, false);
  const done = work.command(() => {
    Deno.removeSync(work.at(".claude/1"));
    Deno.removeSync(work.at(".claude/2"));
    work.write("AGENTS.md", "evil\n");
  });
  assert.ok(done.includes("changed restored AGENTS.md"), done.join());
  assert.equal(done.filter((line) => line.startsWith("created removed")).length, 0, done.join());
  assert.match(work.told.map(({ reason }) => reason).join(), /more than 2000 protected files/);
  assert.deepEqual(work.command(() => {}), []);
});

Deno.test("KeptFiles.check() is not blocked by a pipe in a file's place", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  const done = work.command(() => work.sh("rm AGENTS.md; mkfifo AGENTS.md GEMINI.md"));
  assert.deepEqual(done.sort(), ["created removed GEMINI.md", "replaced restored AGENTS.md"]);
});

Deno.test("KeptFiles.beforeCommand() takes over what others changed between commands", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  assert.deepEqual(work.command(() => {}), []);
  work.write("AGENTS.md", "be brief\n");
  work.write(".hermes/notes.md", "n\n");
  await Deno.remove(work.at(".envrc"));
  await Deno.remove(work.at(".vscode"), { recursive: true });
  await Deno.symlink(".claude", work.at(".vscode"));
  assert.deepEqual(work.command(() => {}), []);
  assert.equal(work.read("AGENTS.md"), "be brief\n");
  assert.equal(work.has(".envrc"), false);
  const done = work.command(() => {
    Deno.removeSync(work.at(".vscode"));
    work.write(".hermes/notes.md", "x\n");
  });
  assert.deepEqual(done.sort(), ["changed restored .hermes/notes.md", "deleted restored .vscode"]);
});

Deno.test("KeptFiles.beforeCommand() puts back while a background process runs", async () => {
  await using work = new KeptWorkspace(PROJECT);
  let isBusy = false;
  const kept = await work.remember({ isBusy: () => isBusy });
  assert.deepEqual(work.command(() => isBusy = true), []);
  work.write("AGENTS.md", "be evil\n");
  assert.deepEqual(work.command(() => {}), ["changed restored AGENTS.md"]);
  work.write("AGENTS.md", "be evil\n");
  isBusy = false;
  assert.deepEqual(lines(kept.backgroundEnded()), ["changed restored AGENTS.md"]);
});

Deno.test("KeptFiles.noteAllowed() takes over this file and no other", async () => {
  await using work = new KeptWorkspace(PROJECT);
  const kept = await work.remember();
  const done = work.command(() => {
    work.write("AGENTS.md", "allowed\n");
    work.write(".idea/workspace.xml", "allowed\n");
    work.write(".envrc", "KEY=2\n");
    work.write("CLAUDE.md", "evil\n");
    kept.noteAllowed(work.at("AGENTS.md"));
    kept.noteAllowed(work.at(".idea/workspace.xml"));
  });
  assert.deepEqual(done.sort(), ["changed restored .envrc", "created removed CLAUDE.md"]);
  assert.equal(work.read("AGENTS.md"), "allowed\n");
  assert.equal(work.read(".idea/workspace.xml"), "allowed\n");
});

Deno.test("KeptFiles leaves alone what belongs to hermes itself", async () => {
  await using work = new KeptWorkspace({ ".hermes/config.yaml": "a: 1\n" });
  const places = { homes: [], hermesHomes: [work.at(".hermes")], trustedBase: [] };
  await work.remember({ places });
  const done = work.command(() => {
    work.write(".hermes/config.yaml", "a: 2\n");
    work.write(".hermes/sessions.db", "x");
  });
  assert.deepEqual(done, []);
  assert.equal(work.read(".hermes/config.yaml"), "a: 2\n");
});

Deno.test("KeptFiles keeps files deeper in the project that were there before", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  const done = await work.searched(() => {
    work.write("packages/a/AGENTS.md", "evil\n");
    work.write("src/CLAUDE.md", "evil\n");
    work.write("src/.vscode/tasks.json", "{}");
    work.write("src/node_modules/x/AGENTS.md", "of a package\n");
  });
  assert.deepEqual(done.sort(), [
    "changed restored packages/a/AGENTS.md",
    "created removed src/.vscode/tasks.json",
    "created removed src/CLAUDE.md",
  ]);
  assert.equal(work.read("packages/a/AGENTS.md"), "of a\n");
  assert.equal(work.has("src/.vscode"), false);
  assert.equal(work.read("src/node_modules/x/AGENTS.md"), "of a package\n");
});

Deno.test("KeptFiles lets commands make, move and remove whole directories", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  const done = await work.searched(() => {
    work.write("fresh/AGENTS.md", "of a template\n");
    work.write("fresh/.vscode/tasks.json", "{}");
    work.write("fresh/.env", "A=1");
    Deno.renameSync(work.at("packages/a"), work.at("packages/b"));
  });
  assert.deepEqual(done, []);
  assert.equal(work.read("packages/b/AGENTS.md"), "of a\n");
  assert.equal(work.read("fresh/AGENTS.md"), "of a template\n");
  assert.deepEqual(
    await work.searched(() => Deno.removeSync(work.at("packages"), { recursive: true })),
    [],
  );
  assert.equal(work.has("packages"), false);
});

Deno.test("KeptFiles.close() puts back what ran on after the last comparison", async () => {
  await using work = new KeptWorkspace(PROJECT);
  let isBusy = false;
  const kept = await work.remember({ isBusy: () => isBusy });
  assert.deepEqual(work.command(() => isBusy = true), []);
  work.write("AGENTS.md", "late\n");
  isBusy = false;
  assert.deepEqual(lines(await kept.close()), ["changed restored AGENTS.md"]);
  assert.deepEqual(await kept.close(), []);
});

Deno.test("KeptFiles.close() leaves what others changed after the last command", async () => {
  await using work = new KeptWorkspace(PROJECT);
  const kept = await work.remember();
  assert.deepEqual(work.command(() => {}), []);
  work.write("AGENTS.md", "by the person\n");
  assert.deepEqual(await kept.close(), []);
  assert.equal(work.read("AGENTS.md"), "by the person\n");
});

Deno.test("KeptFiles lets no command out of reach of hermes by closing a directory", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  const before = work.mode(".");
  const done = work.command(() => {
    work.write("AGENTS.md", "evil\n");
    Deno.chmodSync(work.at(".claude"), 0);
    Deno.chmodSync(work.root, 0);
  });
  assert.ok(done.includes("changed restored AGENTS.md"), done.join());
  assert.equal(work.mode("."), before);
  assert.equal(work.read(".claude/agents/a.md"), "a\n");
});

Deno.test("KeptFiles follows no link that another process plants while files are put back", async () => {
  await using work = new KeptWorkspace(PROJECT);
  const kept = await work.remember({ isBusy: () => true });
  await Deno.mkdir(`${work.base}/outside/agents`, { recursive: true });
  await Deno.writeTextFile(`${work.base}/outside/agents/a.md`, "outside\n");
  await Deno.writeTextFile(`${work.base}/go`, "");
  const loop = "while [ -e ../go ]; do echo evil > .claude/agents/a.md; mv -T .claude aside; " +
    "ln -s ../outside .claude; rm -f .claude; mv -T aside .claude; done";
  const attacker = new Deno.Command("sh", {
    args: ["-c", loop],
    cwd: work.root,
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    kept.beforeCommand();
    for (let i = 0; i < 60; i++) {
      kept.backgroundEnded();
      await new Promise((resolve) => setTimeout(resolve));
      assert.equal(await Deno.readTextFile(`${work.base}/outside/agents/a.md`), "outside\n");
    }
  } finally {
    await Deno.remove(`${work.base}/go`);
    await attacker.status;
  }
  kept.backgroundEnded();
  assert.equal(work.read(".claude/agents/a.md"), "a\n");
  const outside = await Array.fromAsync(Deno.readDir(`${work.base}/outside`), ({ name }) => name);
  assert.deepEqual(outside, ["agents"]);
});

Deno.test("KeptFiles is not led out of the workspace by links on the way to a kept file", async () => {
  await using work = new KeptWorkspace(PROJECT);
  await work.remember();
  await Deno.mkdir(`${work.base}/outside/agents`, { recursive: true });
  await Deno.writeTextFile(`${work.base}/outside/agents/a.md`, "outside\n");
  const done = work.command(() => {
    Deno.renameSync(work.at(".claude"), work.at("src/claude"));
    Deno.symlinkSync(`${work.base}/outside`, work.at(".claude"));
  });
  assert.ok(done.includes("replaced restored .claude"), done.join());
  assert.equal(work.read(".claude/agents/a.md"), "a\n");
  assert.ok((await Deno.lstat(work.at(".claude"))).isDirectory);
  assert.equal(await Deno.readTextFile(`${work.base}/outside/agents/a.md`), "outside\n");
});
