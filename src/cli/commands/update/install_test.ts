import assert from "node:assert/strict";
import { backupOf, replaceExecutable, rollBack } from "./install.ts";

function program(body: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`#!/bin/sh\n${body}\n`);
}

function says(version: string): Uint8Array<ArrayBuffer> {
  return program(`echo "hermes ${version}"`);
}

async function withInstalled(body: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "hermes-update-" });
  try {
    const path = `${folder}/hermes`;
    await Deno.writeFile(path, says("1.0.0"), { mode: 0o755 });
    await body(path);
    const left = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    assert.ok(left.every((name) => /^(?:hermes(?:\.old)?|outside)$/.test(name)), left.join(" "));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("replaceExecutable() puts the new program in place and keeps the old one whole", async () => {
  await withInstalled(async (path) => {
    await replaceExecutable(path, { bytes: says("2.0.0"), version: "2.0.0" });
    assert.deepEqual(await Deno.readFile(path), says("2.0.0"));
    assert.deepEqual(await Deno.readFile(backupOf(path)), says("1.0.0"));
    await rollBack(path);
    assert.deepEqual(await Deno.readFile(path), says("1.0.0"));
    assert.deepEqual(await Deno.readFile(backupOf(path)), says("2.0.0"));
  });
});

Deno.test("replaceExecutable() writes through no link that has the name of the backup", async () => {
  await withInstalled(async (path) => {
    const outside = path.replace(/hermes$/, "outside");
    await Deno.writeTextFile(outside, "mine");
    await Deno.symlink(outside, backupOf(path));
    await replaceExecutable(path, { bytes: says("2.0.0"), version: "2.0.0" });
    assert.equal(await Deno.readTextFile(outside), "mine");
    assert.ok((await Deno.lstat(backupOf(path))).isFile);
  });
});

Deno.test("replaceExecutable() leaves everything alone when the new program is not what it should be", async () => {
  const wrong = [
    says("2.0.1"),
    program("echo no; exit 3"),
    program("kill -9 $$"),
    new Uint8Array(9),
  ];
  for (const bytes of wrong) {
    await withInstalled(async (path) => {
      const replaced = replaceExecutable(path, { bytes, version: "2.0.0" });
      await assert.rejects(replaced, /the other version does not start here/);
      assert.deepEqual(await Deno.readFile(path), says("1.0.0"));
    });
  }
});

Deno.test("rollBack() goes back to nothing that does not start", async () => {
  // Cut off in the middle, another program, nothing at all.
  for (const bytes of [program("exit 1"), program("echo fish 3"), new Uint8Array()]) {
    await withInstalled(async (path) => {
      await Deno.writeFile(backupOf(path), bytes, { mode: 0o755 });
      await assert.rejects(rollBack(path), /the other version does not start here/);
      assert.deepEqual(await Deno.readFile(path), says("1.0.0"));
    });
  }
  await withInstalled(async (path) => {
    await assert.rejects(rollBack(path), /there is no earlier version to go back to/);
  });
});
