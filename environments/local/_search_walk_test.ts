import { deepEqual, equal } from "node:assert/strict";
import { walkFiles } from "./_search_walk.ts";

/** Every entry gives the caller a turn: one that left out thousands in a row could not be stopped. */
async function stepsOf(ignored: string, names: readonly string[]): Promise<(string | undefined)[]> {
  const root = await Deno.makeTempDir({ prefix: "walk-" });
  try {
    await Deno.writeTextFile(`${root}/.ignore`, ignored);
    for (const name of names) {
      if (name.endsWith("/")) await Deno.mkdir(`${root}/${name}`);
      else await Deno.writeTextFile(`${root}/${name}`, "x");
    }
    return [...walkFiles([root], { all: false })].map((file) => file?.relative);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("walkFiles() gives a turn for each entry it leaves out", async () => {
  const names = Array.from({ length: 50 }, (_, i) => `${i}.log`);
  const steps = await stepsOf("*.log", [...names, "keep.txt"]);
  deepEqual(steps.filter((one) => one !== undefined), ["keep.txt"]);
  // The ignore file is hidden.
  equal(steps.length, 52);
});

Deno.test("walkFiles() gives a turn for directories and hidden names it leaves out", async () => {
  const steps = await stepsOf("build", ["build/", "build/a", ".hidden", "b/", "b/.c", "d.txt"]);
  deepEqual(steps, [undefined, undefined, undefined, undefined, "d.txt"]);
});
