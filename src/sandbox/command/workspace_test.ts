import { deepEqual, equal, notEqual } from "node:assert/strict";
import { HostDisk } from "./disk.ts";
import { put, withHome } from "./testdata/support.ts";
import { projectId, workspaceOf } from "./workspace.ts";

function workOf(cwd: string, home: string): string[] {
  return workspaceOf(cwd, home, new HostDisk());
}

Deno.test("workspaceOf() is the git work tree around the directory, else the directory", async () => {
  await withHome(["project/src/deep/x", "plain/sub/x"], (at) => {
    deepEqual(workOf(`${at.project}/src/deep`, at.home), [at.project]);
    deepEqual(workOf(`${at.home}/plain/sub`, at.home), [`${at.home}/plain/sub`]);
  });
});

Deno.test("workspaceOf() is never the home for what lies in it, nor what holds the home", async () => {
  await withHome([".git/HEAD", "notes/x"], (at) => {
    put(`${at.root}/.git/HEAD`);
    deepEqual(workOf(`${at.home}/notes`, at.home), [`${at.home}/notes`]);
    deepEqual(workOf(at.home, at.home), [at.home]);
    deepEqual(workOf(at.root, at.home), []);
    deepEqual(workOf("/", at.home), []);
    deepEqual(workOf("/etc", at.home), []);
    deepEqual(workOf("/tmp", at.home), []);
  });
});

Deno.test("workspaceOf() adds the repository of a work tree and of a submodule", async () => {
  await withHome(["main/.git/HEAD"], async (at) => {
    const tree = `${at.home}/tree`;
    const own = `${at.home}/main/.git/worktrees/tree`;
    await Deno.mkdir(own, { recursive: true });
    await Deno.mkdir(tree);
    await Deno.writeTextFile(`${tree}/.git`, `gitdir: ${own}\n`);
    await Deno.writeTextFile(`${own}/gitdir`, `${tree}/.git\n`);
    deepEqual(workOf(tree, at.home), [tree, `${at.home}/main/.git`]);

    const module = `${at.home}/main/lib`;
    const modules = `${at.home}/main/.git/modules/lib`;
    await Deno.mkdir(module);
    await Deno.mkdir(modules, { recursive: true });
    await Deno.writeTextFile(`${module}/.git`, "gitdir: ../.git/modules/lib\n");
    await Deno.writeTextFile(`${modules}/config`, "[core]\n\tworktree = ../../../lib\n");
    deepEqual(workOf(module, at.home), [module, modules]);
  });
});

Deno.test("workspaceOf() does not believe a .git file that nothing confirms", async () => {
  await withHome(["victim/config", "repo/x"], async (at) => {
    const repo = `${at.home}/repo`;
    for (
      const named of [at.home, "/etc", `${at.home}/victim`, "../victim", "./fake", "missing"]
    ) {
      await Deno.mkdir(`${repo}/fake`, { recursive: true });
      // What came with the repository confirms itself, and leads elsewhere.
      await Deno.writeTextFile(`${repo}/fake/gitdir`, `${repo}/.git\n`);
      await Deno.writeTextFile(`${repo}/fake/commondir`, `${at.home}/victim\n`);
      await Deno.writeTextFile(`${repo}/.git`, `gitdir: ${named}\n`);
      deepEqual(workOf(repo, at.home), [repo], named);
    }
  });
});

Deno.test("projectId() is the same for one place, and another for each other", () => {
  equal(projectId("/home/me/work"), projectId("/home/me/work"));
  notEqual(projectId("/home/me/work"), projectId("/home/you/work"));
  equal(/^[\w.-]+$/.test(projectId("/home/me/sp ace/é'\n")), true);
});
