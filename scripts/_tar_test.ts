import assert from "node:assert/strict";
import { tarEnd, tarEntry } from "./_tar.ts";

Deno.test("tarEntry() and tarEnd() make an archive that tar reads", async () => {
  const directory = await Deno.makeTempDir({ prefix: "hermes-tar-" });
  try {
    const parts = [
      ...tarEntry({ path: "bin/program", data: new TextEncoder().encode("hi"), executable: true }),
      ...tarEntry({ path: "empty", data: new Uint8Array() }),
      ...tarEntry({ path: "block", data: new Uint8Array(512).fill(65) }),
    ];
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    const archive = new Uint8Array(await new Blob([...parts, tarEnd(size)]).arrayBuffer());
    assert.equal(archive.length % 10240, 0);
    await Deno.writeFile(`${directory}/a.tar`, archive);
    const { code, stderr } = await new Deno.Command("tar", {
      args: ["-xf", "a.tar"],
      cwd: directory,
    }).output();
    assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
    assert.equal(await Deno.readTextFile(`${directory}/bin/program`), "hi");
    assert.equal((await Deno.stat(`${directory}/bin/program`)).mode! & 0o111, 0o111);
    assert.equal((await Deno.stat(`${directory}/empty`)).size, 0);
    assert.equal(await Deno.readTextFile(`${directory}/block`), "A".repeat(512));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("tarEntry() refuses a name that does not fit", () => {
  const entry = { path: "x".repeat(100), data: new Uint8Array() };
  assert.throws(() => tarEntry(entry), /path too long for tar: x+$/);
});
