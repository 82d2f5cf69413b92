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
