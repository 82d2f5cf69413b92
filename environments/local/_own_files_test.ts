import assert from "node:assert/strict";
import { OwnFiles } from "./_own_files.ts";

async function withFile(body: (path: string, files: OwnFiles) => void): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/1`;
    await Deno.writeTextFile(path, "export A=1\n");
    const files = new OwnFiles();
    assert.equal(files.take(path), "export A=1\n");
    body(path, files);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("OwnFiles.restore() puts back what was overwritten, replaced or removed", async () => {
  const changes: ((path: string) => void)[] = [
    (path) => Deno.writeTextFileSync(path, "rm -rf precious\n"),
    (path) => Deno.writeTextFileSync(path, "export A=2\n"),
    (path) => Deno.removeSync(path),
    (path) => {
      Deno.removeSync(path);
      Deno.mkdirSync(path);
    },
  ];
  for (const change of changes) {
    await withFile((path, files) => {
      change(path);
      files.restore(path);
      assert.equal(Deno.readTextFileSync(path), "export A=1\n");
      files.restore(path);
      assert.equal(Deno.readTextFileSync(path), "export A=1\n");
    });
  }
});

Deno.test("OwnFiles.restore() does not write through a link put in the file's place", async () => {
  await withFile((path, files) => {
    Deno.writeTextFileSync(`${path}-other`, "mine");
    Deno.removeSync(path);
    Deno.symlinkSync(`${path}-other`, path);
    files.restore(path);
    assert.equal(Deno.readTextFileSync(`${path}-other`), "mine");
    assert.equal(Deno.readTextFileSync(path), "export A=1\n");
  });
});

Deno.test("OwnFiles.restore() leaves files alone that it never took", () => {
  new OwnFiles().restore("/nowhere/at/all");
  new OwnFiles().restore(undefined);
});

Deno.test("OwnFiles.take() reads no link, no pipe and nothing huge that a command put there", async () => {
  await withFile((path, files) => {
    Deno.writeTextFileSync(`${path}-secret`, "key");
    Deno.removeSync(path);
    Deno.symlinkSync(`${path}-secret`, path);
    assert.equal(files.take(path), undefined);
    Deno.removeSync(path);
    new Deno.Command("mkfifo", { args: [path] }).outputSync();
    assert.equal(files.take(path), undefined, "a pipe would wait for ever");
    Deno.removeSync(path);
    Deno.writeTextFileSync(path, "");
    Deno.truncateSync(path, 2 ** 40);
    assert.equal(files.take(path), undefined);
    assert.equal(files.text(path), "export A=1\n", "what was taken before stays");
  });
});
