import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { basename } from "../../util/path.ts";
import { linuxTest } from "../../../tests/support/linux.ts";
import { probeWalls } from "./probe_walls.ts";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";

function probeTest(name: string, test: (tempDir: string) => Promise<void>): void {
  linuxTest(name, async (tempDir) => {
    await test(tempDir);
    deepEqual(await Array.fromAsync(Deno.readDir(tempDir)), [], "the probe leaves nothing");
  });
}

probeTest(
  "probeWalls() tries a command behind the walls of this machine and leaves nothing",
  async (tempDir) => {
    const { standing, problem } = await probeWalls({ tempDir });
    equal(problem, undefined);
    ok(standing !== undefined && standing.landlock >= 0);
    equal(standing.network, "on");
  },
);

probeTest("probeWalls() tells the same machine without namespaces apart", async (tempDir) => {
  const { standing, problem } = await probeWalls({ tempDir, withoutNamespaces: true });
  equal(problem, undefined);
  equal(standing?.view, "none");
  equal(standing?.sockets.unix, false);
  const bound = await probeWalls({ tempDir, withoutNamespaces: true, network: "loopback" });
  equal(bound.standing?.network, "off");
});

probeTest("probeWalls() raises the walls of the policy it is given", async (tempDir) => {
  let wanted: SandboxPolicy | undefined;
  const { standing, problem } = await probeWalls({
    tempDir,
    policy: (directory) =>
      wanted = {
        mode: "read-only",
        network: "off",
        workspace: [],
        writable: [directory],
        hidden: [],
        readable: [],
        env: {},
        limits: { processes: 0, memoryBytes: 0 },
        own: [],
      },
  });
  equal(problem, undefined);
  equal(standing?.network, "off");
  equal(basename(wanted!.writable[0]!), "work");
});

probeTest(
  "probeWalls() says so when a command cannot do what its policy allows",
  async (tempDir) => {
    const { problem } = await probeWalls({
      tempDir,
      policy: () => ({
        mode: "read-only",
        network: "on",
        workspace: [],
        writable: [],
        hidden: [],
        readable: [],
        env: {},
        limits: { processes: 0, memoryBytes: 0 },
        own: [],
      }),
    });
    match(problem!, /could not write where it may/);
  },
);

Deno.test("probeWalls() throws where it can make no directory", async () => {
  await rejects(probeWalls({ tempDir: "/nowhere/at/all" }), Deno.errors.NotFound);
});
