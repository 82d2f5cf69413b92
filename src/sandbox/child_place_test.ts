import { deepEqual } from "node:assert/strict";
import { makePlace, removePlace } from "./child_place.ts";

Deno.test("removePlace() also removes what a killed hermes left, and nothing else", async () => {
  const tempDir = await Deno.makeTempDir();
  try {
    const gone = new Deno.Command("true").spawn();
    await gone.status;
    await Deno.mkdir(`${tempDir}/hermes-child-${gone.pid}-x/scratch`, { recursive: true });
    await Deno.mkdir(`${tempDir}/hermes-child-1-x`);
    await Deno.mkdir(`${tempDir}/hermes-child-notes`);
    const place = makePlace({ tempDir, withCache: true });
    await removePlace(place);
    const left = (await Array.fromAsync(Deno.readDir(tempDir))).map(({ name }) => name).sort();
    deepEqual(left, ["hermes-child-1-x", "hermes-child-notes"]);
  } finally {
    await Deno.remove(tempDir, { recursive: true });
  }
});
