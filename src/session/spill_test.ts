import assert from "node:assert/strict";
import { basename } from "../util/path.ts";
import { createSpillStore } from "./spill.ts";

Deno.test("createSpillStore() overwrites nothing, redacts and prunes what is a day old", async () => {
  const directory = await Deno.makeTempDir({ prefix: "hermes-spill-" });
  try {
    const old = `${directory}/old`;
    await Deno.mkdir(old);
    await Deno.writeTextFile(`${old}/call.txt`, "x");
    const yesterday = Date.now() / 1000 - 25 * 3600;
    await Deno.utime(old, yesterday, yesterday);
    const redact = (text: string) => text.replaceAll("secret", "***");
    const one = createSpillStore({ root: directory, sessionId: "s1", redact });
    const two = createSpillStore({ root: directory, sessionId: "s2", redact });
    const paths = [
      await one.write("call_0", "a secret"),
      await one.write("call_0", "b"),
      await two.write("call_0", "c"),
      await one.write("../../x", "d"),
      await one.write("x".repeat(300), "e"),
    ];
    const texts = await Promise.all(paths.map((path) => Deno.readTextFile(path)));
    assert.deepEqual(texts, ["a ***", "b", "c", "d", "e"]);
    assert.deepEqual(paths.slice(0, 3), [
      `${directory}/s1/call_0.txt`,
      `${directory}/s1/call_0-2.txt`,
      `${directory}/s2/call_0.txt`,
    ]);
    assert.ok(
      paths.every((path) => path.startsWith(`${directory}/`) && basename(path).length < 160),
    );
    await assert.rejects(Deno.stat(old), Deno.errors.NotFound);
    const real = await Promise.all(paths.map((path) => Deno.realPath(path)));
    const own = await Promise.all(real.map((path) => one.holds!(path)));
    assert.deepEqual(own, [true, true, false, true, true]);
    assert.equal(await one.holds!(`${directory}/s10/x`), false);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("createSpillStore() stays in its directory whatever a session is called", async () => {
  const directory = await Deno.makeTempDir({ prefix: "hermes-spill-" });
  try {
    for (const sessionId of ["../../.bashrc.d/x", "/etc/x", "a/b", "..", "x\0y", "z".repeat(500)]) {
      const store = createSpillStore({ root: directory, sessionId, redact: (text) => text });
      const path = await store.write("..", sessionId);
      assert.match(path.slice(directory.length), /^\/[\w.-]{3,160}\/[\w.-]+-[0-9a-f]{12}\.txt$/);
      assert.equal(await Deno.readTextFile(path), sessionId);
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("createSpillStore() without a directory keeps results private and only until the end", async () => {
  const tempRoot = await Deno.makeTempDir({ prefix: "hermes-spill-" });
  try {
    const store = createSpillStore({ tempRoot, sessionId: "s", redact: (text) => text });
    await store.close();
    const used = createSpillStore({ tempRoot, sessionId: "s", redact: (text) => text });
    const [one, two] = [await used.write("a", "1"), await used.write("b", "2")];
    const found = await Array.fromAsync(Deno.readDir(tempRoot));
    assert.equal(found.length, 1);
    assert.match(found[0]!.name, /^hermes-child-\d+-spill-/);
    const { mode } = await Deno.stat(`${tempRoot}/${found[0]!.name}`);
    assert.equal((mode ?? 0) & 0o777, 0o700);
    const texts = await Promise.all([one, two].map((path) => Deno.readTextFile(path)));
    assert.deepEqual(texts, ["1", "2"]);
    await used.close();
    assert.deepEqual(await Array.fromAsync(Deno.readDir(tempRoot)), []);
  } finally {
    await Deno.remove(tempRoot, { recursive: true });
  }
});
