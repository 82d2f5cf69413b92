import assert from "node:assert/strict";
import { BlobStore } from "./blobs.ts";

async function withBlobs(test: (blobs: BlobStore, directory: string) => Promise<void>) {
  const root = await Deno.makeTempDir();
  try {
    await test(new BlobStore(`${root}/blobs`), `${root}/blobs`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const BYTES = new Uint8Array([1, 2, 3]);
const REF = "sha256:039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81";

Deno.test("BlobStore.put() keeps bytes once, privately, and get() gives them back", async () => {
  await withBlobs(async (blobs, directory) => {
    assert.equal(await blobs.put(BYTES), REF);
    assert.equal(await blobs.put(BYTES), REF);
    assert.deepEqual(await blobs.get(REF), BYTES);
    const names = await Array.fromAsync(Deno.readDir(directory), (entry) => entry.name);
    assert.deepEqual(names, [REF.slice(7)]);
    assert.equal((await Deno.stat(`${directory}/${names[0]}`)).mode! & 0o777, 0o600);
    assert.equal((await Deno.stat(directory)).mode! & 0o777, 0o700);
  });
});

Deno.test("BlobStore.get() refuses unknown, foreign and altered content", async () => {
  await withBlobs(async (blobs, directory) => {
    assert.equal(await blobs.get(REF), undefined);
    assert.equal(await blobs.get("sha256:../../etc/passwd"), undefined);
    await blobs.put(BYTES);
    await Deno.writeFile(`${directory}/${REF.slice(7)}`, new Uint8Array([1, 2, 4]));
    assert.equal(await blobs.get(REF), undefined);
  });
});

Deno.test("BlobStore.collect() deletes what nobody refers to, after a grace period", async () => {
  await withBlobs(async (blobs) => {
    assert.equal(await blobs.collect(new Set()), 0);
    const kept = await blobs.put(new Uint8Array([9]));
    await blobs.put(BYTES);
    assert.equal(await blobs.collect(new Set([kept])), 0);
    assert.equal(await blobs.collect(new Set([kept]), Date.now() + 2 * 3_600_000), 1);
    assert.deepEqual(await blobs.get(kept), new Uint8Array([9]));
  });
});
