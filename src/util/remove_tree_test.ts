import { equal, rejects } from "node:assert/strict";
import { removeTree } from "./remove_tree.ts";

/** A chain of directories longer than any path, made from below: each gets a new one around it. */
async function makeDeep(root: string, { depth, name }: { depth: number; name: string }) {
  const chain = Array(200).fill(name).join("/");
  await Deno.mkdir(`${root}/inner`);
  for (let made = 0; made < depth; made += 200) {
    await Deno.mkdir(`${root}/outer/${chain}`, { recursive: true });
    await Deno.rename(`${root}/inner`, `${root}/outer/${chain}/${name}`);
    await Deno.rename(`${root}/outer`, `${root}/inner`);
  }
}

Deno.test("removeTree() removes files, links and directories, not what links lead to", async () => {
  const root = await Deno.makeTempDir();
  await Deno.mkdir(`${root}/tree/a/b`, { recursive: true });
  await Deno.writeTextFile(`${root}/kept`, "kept");
  await Deno.writeTextFile(`${root}/tree/a/b/file`, "");
  await Deno.symlink(root, `${root}/tree/a/b/link`);
  await removeTree(`${root}/tree`);
  equal(await Deno.readTextFile(`${root}/kept`), "kept");
  await rejects(Deno.lstat(`${root}/tree`), Deno.errors.NotFound);
  await removeTree(root);
  await removeTree(root);
  await rejects(Deno.lstat(root), Deno.errors.NotFound);
});

Deno.test("removeTree() removes a tree deeper than a path can be and than a stack", async () => {
  const root = await Deno.makeTempDir();
  await makeDeep(root, { depth: 5_000, name: "d" });
  await removeTree(root);
  await rejects(Deno.lstat(root), Deno.errors.NotFound);
});

Deno.test("removeTree() renames nothing that is at the top already", async () => {
  const root = await Deno.makeTempDir({ prefix: "hermes-test-" });
  for (let i = 0; i < 20; i++) await Deno.mkdir(`${root}/top-${i}`);
  const seen = new Set<string>();
  using watcher = Deno.watchFs(root, { recursive: false });
  const watching = (async () => {
    for await (const { paths } of watcher) paths.forEach((path) => seen.add(path));
  })();
  await removeTree(root);
  watcher.close();
  await watching;
  equal([...seen].find((path) => path.includes("/removed-")), undefined);
});

Deno.test("removeTree() removes directories that their owner may not look into", {
  ignore: Deno.build.os === "windows",
}, async () => {
  const root = await Deno.makeTempDir();
  await Deno.mkdir(`${root}/a/closed/inner`, { recursive: true });
  await Deno.writeTextFile(`${root}/a/closed/file`, "");
  await Deno.chmod(`${root}/a/closed/inner`, 0o000);
  await Deno.chmod(`${root}/a/closed`, 0o300);
  await removeTree(root);
  await rejects(Deno.lstat(root), Deno.errors.NotFound);
});

Deno.test("removeTree() removes a link, and not what it leads to", async () => {
  const parent = await Deno.makeTempDir({ prefix: "hermes-test-" });
  await Deno.mkdir(`${parent}/real`);
  await Deno.writeTextFile(`${parent}/real/kept`, "");
  await Deno.symlink(`${parent}/real`, `${parent}/link`);
  await removeTree(`${parent}/link`);
  await rejects(Deno.lstat(`${parent}/link`), Deno.errors.NotFound);
  equal(await Deno.readTextFile(`${parent}/real/kept`), "");
  await removeTree(parent);
});

Deno.test("removeTree() leaves the rest when its time is up, and takes it the next time", async () => {
  const root = await Deno.makeTempDir();
  for (let i = 0; i < 50; i++) {
    await Deno.mkdir(`${root}/empty${i}`);
    await Deno.mkdir(`${root}/full${i}/a/b`, { recursive: true });
    await Deno.writeTextFile(`${root}/full${i}/a/file`, "");
  }
  await removeTree(root, { deadlineAt: 0 });
  equal((await Array.fromAsync(Deno.readDir(root))).length, 100);
  await removeTree(root, { deadlineAt: performance.now() + 60_000 });
  await rejects(Deno.lstat(root), Deno.errors.NotFound);
});
