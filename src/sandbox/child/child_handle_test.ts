import assert from "node:assert/strict";
import { startChild } from "./child_handle.ts";

const SPEC = { mode: "deno", memoryMb: 256, cpuSeconds: 10, without: [] } as const;

/** Starts a child that cannot work and gives the reason; nothing may be left behind. */
async function failure(overrides: Partial<Parameters<typeof startChild>[0]>): Promise<string> {
  const tempDir = await Deno.makeTempDir();
  try {
    await assert.rejects(startChild({ ...SPEC, tempDir, ...overrides }));
    assert.deepEqual(await Array.fromAsync(Deno.readDir(tempDir)), []);
    return await startChild({ ...SPEC, tempDir, ...overrides }).then(
      () => "it started",
      (error) => String(error.message),
    );
  } finally {
    await Deno.remove(tempDir, { recursive: true });
  }
}

Deno.test("startChild() says what the child said when it does not start", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const missing = { executable: "/nonexistent/python3", grants: [] };
  assert.match(await failure({ python: missing }), /cannot execute \/nonexistent\/python3/);
});

Deno.test("startChild() notices an interpreter that never gets ready", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const access = "tree" as const;
  const grants = ["/usr", "/lib", "/lib64", "/bin"].map((path) => ({ path, access }));
  const program = { path: await Deno.realPath("/bin/true"), access: "run" as const };
  const loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]
    .map((path) => ({ path, access: "run" as const }));
  const python = { executable: program.path, grants: [program, ...loaders, ...grants] };
  assert.match(await failure({ python }), /Python did not start/);
});
