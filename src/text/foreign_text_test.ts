import assert from "node:assert/strict";
import { readForeignText } from "./foreign_text.ts";

Deno.test("readForeignText() reads small regular files and nothing else", async () => {
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/text`, "a\n");
    await Deno.symlink(`${directory}/text`, `${directory}/link`);
    await Deno.symlink("/dev/zero", `${directory}/endless`);
    await new Deno.Command("mkfifo", { args: [`${directory}/pipe`] }).output();
    await Deno.truncate(`${directory}/text`, 2);
    assert.equal(readForeignText(`${directory}/text`, 10), "a\n");
    assert.equal(readForeignText(`${directory}/text`, 1), undefined);
    for (const name of ["link", "endless", "pipe", "absent", "."]) {
      assert.equal(readForeignText(`${directory}/${name}`, 10), undefined, name);
    }
    assert.equal(readForeignText("/proc/self/status", 1 << 20), undefined);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

/** Reads the file at `path`, which changes between the look at it and the read. */
function readWhile(change: () => void, { path, maxBytes }: { path: string; maxBytes: number }) {
  const { lstatSync } = Deno;
  Deno.lstatSync = (name) => {
    const info = lstatSync(name);
    change();
    return info;
  };
  try {
    return readForeignText(path, maxBytes);
  } finally {
    Deno.lstatSync = lstatSync;
  }
}

Deno.test("readForeignText() reads nothing that was put in the place of what it looked at", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/text`;
    const secret = `${directory}/secret`;
    await Deno.writeTextFile(secret, "secret\n");
    const changes = [
      () => Deno.symlinkSync(secret, path),
      () => Deno.symlinkSync("/dev/zero", path),
      () => Deno.linkSync(secret, path),
      // It grows beyond the limit.
      () => Deno.renameSync(`${directory}/kept`, path),
    ];
    for (const [index, change] of changes.entries()) {
      await Deno.remove(path).catch(() => {}); // not there the first time
      await Deno.writeTextFile(path, "a\n");
      const read = readWhile(() => {
        Deno.renameSync(path, `${directory}/kept`);
        change();
        if (index === 3) Deno.writeTextFileSync(path, "more than ten bytes\n");
      }, { path, maxBytes: 10 });
      assert.equal(read, undefined, String(index));
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
