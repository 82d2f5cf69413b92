import assert from "node:assert/strict";
import { Seal } from "./seal.ts";

async function withDirectory(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await body(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("Seal.verify() accepts what another process sealed with the same key", async () => {
  await withDirectory(async (directory) => {
    const seal = await new Seal(`${directory}/new/key`).sign("cache", "text");
    assert.equal(await new Seal(`${directory}/new/key`).verify("cache", "text", seal), true);
    assert.equal((await Deno.stat(`${directory}/new/key`)).mode! & 0o777, 0o600);
  });
});

Deno.test("Seal.verify() refuses another text, purpose or key, and no seal at all", async () => {
  await withDirectory(async (directory) => {
    const own = new Seal(`${directory}/own`);
    const seal = await own.sign("cache", "text");
    assert.equal(await own.verify("cache", "Text", seal), false);
    assert.equal(await own.verify("pin", "text", seal), false);
    assert.equal(await own.verify("cache", "text", ""), false);
    assert.equal(await own.verify("cach", "etext", seal), false);
    await new Seal(`${directory}/other`).sign("cache", "text");
    assert.equal(await new Seal(`${directory}/other`).verify("cache", "text", seal), false);
    assert.equal(await new Seal(`${directory}/absent`).verify("cache", "text", seal), false);
  });
});

Deno.test("Seal.sign() agrees on one key when many begin at once", async () => {
  await withDirectory(async (directory) => {
    const seals = await Promise.all(
      Array.from({ length: 8 }, () => new Seal(`${directory}/key`).sign("p", "t")),
    );
    assert.equal(new Set(seals).size, 1);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(directory), ({ name }) => name), ["key"]);
  });
});
