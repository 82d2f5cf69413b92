import { deepEqual } from "node:assert/strict";
import { seenPaths } from "../../../tests/support/seen_paths.ts";
import { dirname } from "../../util/path.ts";
import { makePlace, removePlace } from "./child_place.ts";

/** Gives a directory, removed afterwards, and the number of a process that has ended. */
async function withDeadProcess(
  body: (tempDir: string, dead: number) => Promise<void>,
): Promise<void> {
  const tempDir = await Deno.makeTempDir();
  try {
    const gone = new Deno.Command("true").spawn();
    await gone.status;
    await body(tempDir, gone.pid);
  } finally {
    await Deno.remove(tempDir, { recursive: true });
  }
}

Deno.test("removePlace() also removes what a killed hermes left, and nothing else", async () => {
  await withDeadProcess(async (tempDir, dead) => {
    await Deno.mkdir(`${tempDir}/hermes-child-${dead}-x/scratch`, { recursive: true });
    await Deno.mkdir(`${tempDir}/hermes-child-1-x`);
    await Deno.mkdir(`${tempDir}/hermes-child-notes`);
    const place = makePlace({ tempDir });
    await removePlace(place);
    const left = (await Array.fromAsync(Deno.readDir(tempDir))).map(({ name }) => name).sort();
    deepEqual(left, ["hermes-child-1-x", "hermes-child-notes"]);
  });
});

Deno.test("removePlace() does not wait until all is gone that a killed hermes left", async () => {
  await withDeadProcess(async (tempDir, dead) => {
    const left = `hermes-child-${dead}-x`;
    for (let i = 0; i < 100; i++) {
      await Deno.mkdir(`${tempDir}/${left}/scratch/${i}/${i}`, { recursive: true });
    }
    await removePlace(makePlace({ tempDir }), 0);
    deepEqual((await Array.fromAsync(Deno.readDir(tempDir))).map(({ name }) => name), [left]);
  });
});

Deno.test("removePlace() ends nobody who looks around in what a killed hermes left", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await withDeadProcess(async (tempDir, dead) => {
    const cwd = `${tempDir}/hermes-child-${dead}-x`;
    await Deno.mkdir(cwd);
    const person = new Deno.Command("cat", { cwd, stdin: "piped", stdout: "piped" }).spawn();
    await removePlace(makePlace({ tempDir }));
    const writer = person.stdin.getWriter();
    await writer.write(new TextEncoder().encode("still here"));
    await writer.close();
    const { stdout } = await person.output();
    deepEqual(new TextDecoder().decode(stdout), "still here");
  });
});

Deno.test("removePlace() first takes over what a killed hermes left: one tidies up, not two", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await withDeadProcess(async (tempDir, dead) => {
    for (const [name, below] of [["wide", "removed-1"], ["deep", "d/".repeat(100)], ["bare", ""]]) {
      await Deno.mkdir(`${tempDir}/hermes-child-${dead}-${name}/${below}`, { recursive: true });
    }
    const place = makePlace({ tempDir });
    const seen = await seenPaths(tempDir, () => removePlace(place, Infinity));
    const ours = `${tempDir}/hermes-child-${Deno.pid}-`;
    const taken = [...seen].filter((path) => path.startsWith(ours) && path !== place.directory);
    deepEqual(taken.length, 3, [...seen].join(" "));
    deepEqual(await Array.fromAsync(Deno.readDir(tempDir)), []);
  });
});

const MODULE = new URL("./child_place.ts", import.meta.url).href;
const PRINT_PLACE = `const { makePlace } = await import("${MODULE}");
const { directory } = makePlace({ tempDir: undefined });
Deno.removeSync(directory, { recursive: true });
console.log(directory);`;

/** Where a hermes with this TMPDIR makes a directory. */
async function placeWith(temporary: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", PRINT_PLACE],
    env: { TMPDIR: temporary },
  }).output();
  return dirname(new TextDecoder().decode(stdout).trim());
}

Deno.test("makePlace() takes another place when TMPDIR is none for a socket", async () => {
  const tempDir = await Deno.makeTempDir();
  try {
    const names = ["plain", "spa ce", "com,ma", "x".repeat(100)];
    for (const name of names) await Deno.mkdir(`${tempDir}/${name}`);
    const places = await Promise.all(
      [...names, "missing"].map((one) => `${tempDir}/${one}`)
        .concat("/dev/shm", "relative").map(placeWith),
    );
    deepEqual(places, [
      `${tempDir}/plain`,
      `${tempDir}/spa ce`,
      ...Array(5).fill("/tmp"),
    ]);
    for (const name of names) {
      deepEqual(await Array.fromAsync(Deno.readDir(`${tempDir}/${name}`)), []);
    }
  } finally {
    await Deno.remove(tempDir, { recursive: true });
  }
});
