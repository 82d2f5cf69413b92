/** A plugin's process behind Landlock where the runtime has translated nothing of hermes yet. */
import { ok } from "node:assert/strict";
import { startChild } from "../../src/sandbox/child_handle.ts";
import type { ChildMode } from "../../src/sandbox/contract.ts";

for (const mode of ["deno", "reexec"] satisfies ChildMode[]) {
  Deno.test(`a plugin starts with an empty cache (${mode})`, async () => {
    const tempDir = await Deno.makeTempDir({ prefix: "hermes-first-start-" });
    const cacheDir = `${tempDir}/cache`;
    await Deno.mkdir(cacheDir);
    try {
      const child = await startChild({
        mode,
        memoryMb: 1280,
        cpuSeconds: 10,
        without: [],
        tempDir,
        cacheDir,
        guest: {
          module: "data:text/javascript,export {}",
          modulesUrl: `file://${tempDir}/modules/`,
          permissions: { read: [], write: [], net: [], env: [], run: [] },
          env: {},
          paths: [],
          ports: [],
        },
      });
      ok(child.walls.includes("permissions"));
      await child.kill();
    } finally {
      await Deno.remove(tempDir, { recursive: true });
    }
  });
}
