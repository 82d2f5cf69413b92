import assert from "node:assert/strict";
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
    // A signal takes a moment; the program itself would go on for a minute.
    const deadline = performance.now() + 45_000;
    while ((await processesIn(tempDir)).length > 0) {
      assert.ok(performance.now() < deadline, "it still runs");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(tempDir)), []);
    await Deno.remove(tempDir);
  },
});
