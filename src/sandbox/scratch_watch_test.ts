import { equal } from "node:assert/strict";
import { removeTree } from "../util/remove_tree.ts";
import { watchScratch } from "./scratch_watch.ts";

/** Whether the first look finds a directory too full that `fill` has filled. */
async function isFull(maxBytes: number, fill: (root: string) => Promise<void>): Promise<boolean> {
  const root = await Deno.makeTempDir();
  try {
    await fill(root);
    let full = false;
    await watchScratch(root, { maxBytes, onFull: () => full = true })();
    return full;
  } finally {
    await removeTree(root);
  }
}

function write(bytes: number): (root: string) => Promise<void> {
  return (root) => Deno.writeFile(`${root}/file`, new Uint8Array(bytes));
}

Deno.test("watchScratch() tells when files hold more than they may", async () => {
  equal(await isFull(10_000, write(2_000)), false);
  equal(await isFull(10_000, write(20_000)), true);
});

Deno.test("watchScratch() counts entries that hold nothing", async () => {
  const fill = async (root: string) => {
    for (const name of "abcd") await Deno.mkdir(`${root}/${name}`);
  };
  equal(await isFull(20_000, fill), false);
  equal(await isFull(10_000, fill), true);
});

Deno.test("watchScratch() takes what lies too deep to be looked at for too much", async () => {
  const long = "x".repeat(200);
  const chain = Array(15).fill(long).join("/");
  const fill = async (root: string) => {
    await Deno.mkdir(`${root}/inner/${chain}`, { recursive: true });
    await Deno.mkdir(`${root}/outer/${chain}`, { recursive: true });
    await Deno.rename(`${root}/inner`, `${root}/outer/${chain}/inner`);
  };
  equal(await isFull(1_000_000, fill), true);
});

Deno.test("watchScratch() takes what nobody may look into for too much", async () => {
  if (Deno.uid() === 0) return console.log("skipped: root may look into everything");
  const fill = (root: string) => Deno.mkdir(`${root}/closed`, { mode: 0o300 });
  equal(await isFull(1_000_000, fill), true);
});
