import assert from "node:assert/strict";
import { KeptWorkspace } from "../../../tests/support/kept_workspace.ts";
import { GitObjects, objectId } from "./git_objects.ts";
import { applyDelta, findInIndex, readPackHead } from "./git_pack.ts";
import { RefTips, repositoryAt } from "./git_refs.ts";
import { KeptDisk } from "./kept_disk.ts";

/** Thirty commits over a tree that is large enough for git to store differences alone. */
function repository(): KeptWorkspace {
  const work = new KeptWorkspace();
  work.sh(`git init -q -b main . && mkdir -p d/e
    for i in $(seq 200); do echo $i > d/e/file-$i; done; printf x > run && chmod +x run
    ln -s run link && git add . && git commit -qm start
    for i in $(seq 30); do echo new $i > d/e/file-$i; git add -A; git commit -qm $i; done
    git tag -m t annotated && git tag plain HEAD~3 && git branch side HEAD~5
    git rev-list HEAD > ../commits
    git rev-list HEAD | sed 's,$,:d/e/file-7,' | xargs git rev-parse > ../blobs
    git rev-parse HEAD annotated annotated^{commit} HEAD:run HEAD:link > ../ids`);
  return work;
}

function listed(work: KeptWorkspace, name: string): string[] {
  return Deno.readTextFileSync(`${work.base}/${name}`).trim().split("\n");
}

/** What is read of every commit, as git lists it. */
function readAll(work: KeptWorkspace, disk: KeptDisk): (string | undefined)[] {
  using objects = new GitObjects(work.at(".git/objects"), disk);
  return listed(work, "commits").map((id) => {
    const commit = objects.commit(id);
    return commit && objects.entry(commit.tree, "d/e/file-7")?.id;
  });
}

Deno.test("GitObjects reads what git wrote, loose and packed", async () => {
  await using work = repository();
  const disk = new KeptDisk();
  const [head, tag, tagged, run, link] = listed(work, "ids");
  for (const script of ["true", "git gc -q", "git repack -q -a -d -f --depth=50 --window=200"]) {
    work.sh(script);
    assert.deepEqual(readAll(work, disk), listed(work, "blobs"), script);
    using objects = new GitObjects(work.at(".git/objects"), disk);
    const { tree, parents } = objects.commit(head!)!;
    assert.deepEqual(parents, [listed(work, "commits")[1]]);
    assert.deepEqual(objects.entry(tree, "run"), { mode: "100755", id: run });
    assert.deepEqual(objects.entry(tree, "link"), { mode: "120000", id: link });
    assert.equal(objects.entry(tree, "d")?.mode, "40000");
    for (const path of ["none", "d/none", "run/below", ""]) {
      assert.equal(objects.entry(tree, path), null, path);
    }
    assert.equal(objects.peel(tag!), tagged);
    assert.equal(objects.peel(head!), head);
    assert.equal(objects.commit(tree), undefined);
    assert.equal(objects.commit("0".repeat(40)), undefined);
    assert.equal(objects.entry("0".repeat(40), "run"), undefined);
    assert.equal(objectId("blob", new TextEncoder().encode("x")), run);
  }
  work.sh(
    "ls .git/objects/pack/*.pack && test \"$(git count-objects)\" = '0 objects, 0 kilobytes'",
  );
  disk.close();
});

Deno.test("GitObjects never reads anything else than what an id stands for", async () => {
  await using work = repository();
  work.sh("git gc -q && chmod -R u+w .git/objects");
  const disk = new KeptDisk();
  const blobs = listed(work, "blobs");
  const packs = await Array.fromAsync(Deno.readDir(work.at(".git/objects/pack")));
  let state = 4711;
  const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
  let missing = 0;
  for (const { name } of packs.filter((one) => /\.(?:idx|pack)$/.test(one.name))) {
    const path = work.at(`.git/objects/pack/${name}`);
    const good = await Deno.readFile(path);
    for (let round = 0; round < 20; round++) {
      const bad = good.slice(0, round % 5 === 0 ? random(good.length) : good.length);
      for (let i = 0; i < 200 && bad.length > 0; i++) bad[random(bad.length)] = random(256);
      await Deno.writeFile(path, bad);
      readAll(work, disk).forEach((id, i) => {
        if (id === undefined) missing++;
        else assert.equal(id, blobs[i]);
      });
    }
    await Deno.writeFile(path, good);
  }
  assert.ok(missing > 100, `${missing}`);
  disk.close();
});

Deno.test("applyDelta(), readPackHead() and findInIndex() end on any bytes", () => {
  let state = 99;
  const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
  const base = new Uint8Array(300);
  for (let round = 0; round < 2000; round++) {
    const bytes = Uint8Array.from({ length: random(80) }, () => random(256));
    bytes.set([172, 2].slice(0, bytes.length));
    const made = applyDelta(base, { delta: bytes, maxBytes: 1000 });
    assert.ok(made === undefined || made.length <= 1000);
    readPackHead(bytes);
    findInIndex(bytes, "ab".repeat(20));
  }
});

Deno.test("RefTips has the branches and tags of a repository, and no stash", async () => {
  await using work = repository();
  const disk = new KeptDisk();
  work.sh(`echo s > d/e/file-1 && git stash -q && git update-ref refs/hidden/x stash
    git rev-parse main side annotated annotated^{commit} plain | sort -u > ../tips
    git rev-parse stash > ../stash`);
  for (
    const script of ["true", "git pack-refs --all && git tag again main && git switch -q side"]
  ) {
    work.sh(script);
    const repo = repositoryAt(work.root, disk)!;
    const tips = new RefTips(repo, disk);
    const ids = [...tips.all];
    assert.equal(ids[0], tips.head);
    assert.equal(tips.stash, listed(work, "stash")[0]);
    // The commit of a tag is named where git packed it.
    const tagged = listed(work, "ids")[2]!;
    assert.deepEqual([...new Set([...ids, tagged])].sort(), listed(work, "tips"), script);
  }
  work.sh("git worktree add -q ../tree HEAD~1 && git rev-parse HEAD~1 > ../at");
  const tree = repositoryAt(`${work.base}/tree`, disk)!;
  assert.equal(tree.commonDir, work.at(".git"));
  assert.equal(new RefTips(tree, disk).head, listed(work, "at")[0]);
  assert.equal(repositoryAt(work.base, disk), undefined);
  disk.close();
});
