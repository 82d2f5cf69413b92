import assert from "node:assert/strict";
import { isDying } from "../../src/process/dying.ts";
import { makePlace, removePlace } from "../../src/sandbox/child/child_place.ts";

const PLUGIN_PARENT = new URL("./_crashing_plugin_parent.ts", import.meta.url).pathname;
const PARENT = new URL("./_crashing_parent.ts", import.meta.url).pathname;

/** Processes of the system whose parent was `pid`, by their working directory under `directory`. */
async function processesIn(directory: string): Promise<number[]> {
  const found: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const cwd = await Deno.readLink(`/proc/${name}/cwd`).catch(() => "");
    if (cwd.startsWith(directory)) found.push(Number(name));
  }
  return found;
}

for (const language of ["typescript", "python"]) {
  Deno.test({
    name: `a busy ${language} child dies with its parent`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const directory = await Deno.makeTempDir();
      const parent = new Deno.Command(Deno.execPath(), {
        args: ["run", "--allow-all", "--quiet", PARENT, language, directory],
        stdout: "piped",
      }).spawn();
      // The parent prints one line when the script is in its loop.
      const reader = parent.stdout.getReader();
      await reader.read();
      assert.equal((await processesIn(directory)).length, 1);
      parent.kill("SIGKILL");
      await parent.status;
      await reader.cancel();
      while ((await processesIn(directory)).length > 0) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await Deno.remove(directory, { recursive: true });
    },
  });
}

Deno.test({
  name: "the next hermes ends what a plugin of a killed one had started",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const tempDir = await Deno.makeTempDir();
    const sleep = await Deno.realPath("/usr/bin/sleep");
    const parent = new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--quiet", PLUGIN_PARENT, tempDir, sleep],
      stdout: "piped",
    }).spawn();
    // It prints one line when the program runs.
    const reader = parent.stdout.getReader();
    const pid = Number(new TextDecoder().decode((await reader.read()).value));
    parent.kill("SIGKILL");
    await parent.status;
    await reader.cancel();
    assert.deepEqual((await processesIn(tempDir)).includes(pid), true, "it lives on");
    await removePlace(makePlace({ tempDir }), Infinity);
    assert.ok(await isDying(pid), "it still runs");
    // A signal takes a moment.
    while ((await processesIn(tempDir)).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(tempDir)), []);
    await Deno.remove(tempDir);
  },
});

/** Takes memory, which a killed process gives back first, and starts a program in its session. */
const SLOW_TO_DIE = `
const memory = new Uint8Array(256 << 20).fill(1);
const child = new Deno.Command("sleep", { args: ["600"] }).spawn();
console.log(child.pid, memory.length);
`;

Deno.test({
  name: "a plugin's program is ended though the killed plugin has not gone yet",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const tempDir = await Deno.makeTempDir();
    // Its name tells of a hermes that has gone: no process has this number.
    const orphan = `${tempDir}/hermes-child-99999999-test`;
    await Deno.mkdir(orphan);
    const leader = new Deno.Command("setsid", {
      args: [Deno.execPath(), "eval", SLOW_TO_DIE],
      cwd: orphan,
      stdout: "piped",
    }).spawn();
    const reader = leader.stdout.getReader();
    const pid = Number.parseInt(new TextDecoder().decode((await reader.read()).value));
    const place = makePlace({ tempDir });
    leader.kill("SIGKILL");
    await removePlace(place, Infinity);
    assert.ok(await isDying(pid), "it still runs");
    await leader.status;
    await reader.cancel();
    while ((await processesIn(tempDir)).length > 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await Deno.remove(tempDir, { recursive: true });
  },
});
