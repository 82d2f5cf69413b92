import assert from "node:assert/strict";
import { linuxTest } from "../../../tests/support/linux.ts";
import { isUnchanged, KeptDisk, stampOf } from "./kept_disk.ts";

Deno.test("isUnchanged() sees a change that has its old size and time of writing again", () => {
  const file = Deno.makeTempFileSync();
  try {
    const info = Deno.lstatSync(file);
    const old = { ...info, ctime: new Date(info.ctime!.getTime() - 5000) };
    const stamp = stampOf(old);
    assert.equal(stamp.isSettled, true);
    assert.equal(isUnchanged(stamp, old), true);
    assert.equal(isUnchanged(stamp, info), false);
    for (const key of ["dev", "ino", "mode", "size"] as const) {
      assert.equal(isUnchanged(stamp, { ...old, [key]: old[key]! + 1 }), false, key);
    }
  } finally {
    Deno.removeSync(file);
  }
});

Deno.test("isUnchanged() trusts no stamp that was taken right after a change", () => {
  const file = Deno.makeTempFileSync();
  try {
    const info = Deno.lstatSync(file);
    assert.equal(isUnchanged(stampOf({ ...info, ctime: new Date() }), info), false);
  } finally {
    Deno.removeSync(file);
  }
});

linuxTest("KeptDisk.within() refuses a way that leads over a link", async (directory) => {
  const base = await Deno.realPath(directory);
  const disk = new KeptDisk();
  try {
    await Deno.mkdir(`${base}/a/b`, { recursive: true });
    await Deno.symlink("a", `${base}/link`);
    await Deno.writeTextFile(`${base}/a/b/file`, "x");
    const read = (path: string) =>
      disk.within(
        { root: base, path: `${base}/${path}` },
        (at) => Deno.readTextFileSync(at("file")),
      );
    assert.equal(read("a/b"), "x");
    assert.throws(() => read("link/b"), /is no directory/);
    assert.throws(() => read("a/b/file"), /is no directory/);
    assert.throws(() => read(".."), /is not below/);
  } finally {
    disk.close();
  }
});

linuxTest(
  "KeptDisk.within() stays in a directory that is swapped for a link meanwhile",
  async (directory) => {
    const base = await Deno.realPath(directory);
    const disk = new KeptDisk();
    try {
      await Deno.mkdir(`${base}/work`);
      await Deno.mkdir(`${base}/outside`);
      disk.within({ root: base, path: `${base}/work` }, (at) => {
        Deno.renameSync(`${base}/work`, `${base}/moved`);
        Deno.symlinkSync("outside", `${base}/work`);
        disk.replace(at, { name: "file", mode: 0o2751, content: new Uint8Array([1]) });
      });
      assert.equal((await Deno.lstat(`${base}/moved/file`)).mode! & 0o7777, 0o2751);
      assert.deepEqual(await Array.fromAsync(Deno.readDir(`${base}/outside`)), []);
    } finally {
      disk.close();
    }
  },
);

linuxTest(
  "KeptDisk.read() reads regular files within the bound, and no links",
  async (directory) => {
    const base = await Deno.realPath(directory);
    const disk = new KeptDisk();
    try {
      await Deno.writeTextFile(`${base}/file`, "1234");
      await Deno.symlink("file", `${base}/link`);
      assert.deepEqual(disk.read(`${base}/file`, 4), new TextEncoder().encode("1234"));
      assert.equal(disk.read(`${base}/file`, 3), undefined);
      assert.equal(disk.read(`${base}/link`, 4), undefined);
      assert.equal(disk.read(base, 4), undefined);
      disk.chmod(`${base}/file`, 0o600);
      assert.equal((await Deno.stat(`${base}/file`)).mode! & 0o777, 0o600);
      assert.throws(() => disk.chmod(`${base}/none`, 0o600));
    } finally {
      disk.close();
    }
  },
);
