import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { basename } from "../util/path.ts";
import { onlyVariables } from "./child_environment.ts";
import { signalGroup } from "./group.ts";
import { openLibc, openPath } from "./launcher/libc.ts";
import { spawnChild, type SpawnOptions } from "./spawn.ts";

function start(argv: readonly string[], options: Partial<SpawnOptions> = {}): Deno.ChildProcess {
  const env = onlyVariables({ PATH: "/usr/bin:/bin" });
  return spawnChild({ argv, env, cwd: "/", group: "session", ...options });
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return (await new Response(stream).text()).trim();
}

const onLinux = { ignore: Deno.build.os !== "linux" }; // elsewhere there is no /proc

Deno.test(
  "spawnChild() gives a child a session of its own, or leaves it in ours",
  onLinux,
  async () => {
    for (const group of ["session", "itself", "terminal"] as const) {
      const child = start(["cat", "/proc/self/stat"], { group, stdout: "piped" });
      const [pid, , , , own, session] = (await textOf(child.stdout)).split(" ").map(Number);
      equal(pid, child.pid);
      equal(own === pid && session === pid, group === "session", group);
      await child.status;
    }
  },
);

Deno.test(
  "spawnChild() passes no variable and no stream that was not asked for",
  onLinux,
  async () => {
    const child = start(["/bin/sh", "-c", "cat /proc/self/environ; ls -l /proc/self/fd/0"], {
      env: onlyVariables({ PATH: "/bin", ONLY: "1" }),
      stdout: "piped",
    });
    const text = await textOf(child.stdout);
    deepEqual(text.match(/[A-Z]+=/g)!.filter((name) => name !== "PWD=").toSorted(), [
      "ONLY=",
      "PATH=",
    ]);
    equal(text.endsWith("-> /dev/null"), true);
    await child.status;
  },
);

Deno.test("spawnChild() throws for what is no program", () => {
  for (const name of ["/no/such/program", "no-such-program", "/etc/passwd", "/tmp"]) {
    throws(() => start([name]), Error, name);
  }
  throws(() => start(["sleep", "60"], { env: onlyVariables({}) }), Error, "no search path");
  throws(() => start(["true"], { cwd: "/no/such/directory" }));
});

Deno.test("spawnChild() finds a program from its own directory and search path", async () => {
  for (const name of ["bin/true", "./bin/true", "true"]) {
    equal((await start([name], { cwd: "/usr" }).status).code, 0, name);
  }
});

Deno.test("signalGroup() reaches the group, a child without one, and nobody", async () => {
  // Also at once, when the child may not lead its group yet.
  for (const group of ["session", "itself"] as const) {
    const child = start(["sleep", "60"], { group });
    signalGroup(child, "SIGKILL");
    equal((await child.status).signal, "SIGKILL");
    signalGroup(child, "SIGKILL");
  }
  const family = start(["/bin/sh", "-c", "sleep 60 & echo up; wait"], { stdout: "piped" });
  const reader = family.stdout.getReader();
  await reader.read();
  signalGroup(family, "SIGKILL");
  // The pipe ends when its last holder has.
  equal((await reader.read()).done, true);
  await family.status;
});

Deno.test(
  "spawnChild() gives a child of its own session no descriptor that hermes keeps for others",
  onLinux,
  async () => {
    const libc = openLibc();
    // Children inherit this descriptor, as they do a ruleset for the launchers of walls.
    const kept = openPath(libc, { path: "/etc/passwd", flags: 0 });
    try {
      const child = start(["/bin/sh", "-c", "echo /proc/self/fd/*"], { stdout: "piped" });
      const open = (await textOf(child.stdout)).split(" ").map((path) => Number(basename(path)));
      ok(kept > 2 && !open.includes(kept), open.join());
      // The shell's own listing is all there is.
      equal(open.filter((descriptor) => descriptor > 3).length, 0, open.join());
      await child.status;
    } finally {
      libc.call("close", kept);
      libc.close();
    }
  },
);
