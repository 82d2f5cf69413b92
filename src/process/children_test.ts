import { equal, ok } from "node:assert/strict";
import { onlyVariables } from "./child_environment.ts";
import { holdChildren, livingChildren } from "./children.ts";
import { spawnChild } from "./spawn.ts";

function sleeper(): Deno.ChildProcess {
  return spawnChild({
    // A grandchild in the same group, and deaf to the polite signal.
    argv: ["/bin/sh", "-c", "trap '' TERM; sleep 300 & wait"],
    env: onlyVariables({ PATH: "/usr/bin:/bin" }),
    cwd: "/",
    group: "session",
  });
}

Deno.test("the last host to close ends what nobody ended, and the others nothing", async () => {
  const [first, second] = [holdChildren(), holdChildren()];
  const child = sleeper();
  equal(livingChildren(), 1);
  await first();
  await first();
  equal(livingChildren(), 1, "another host is open");
  await second();
  const { signal } = await child.status;
  ok(signal === "SIGKILL" || signal === "SIGTERM", String(signal));
  equal(livingChildren(), 0);
});

Deno.test("a child that has ended is followed no longer", async () => {
  const env = onlyVariables({ PATH: "/usr/bin:/bin" });
  const child = spawnChild({ argv: ["true"], env, cwd: "/", group: "session" });
  equal(livingChildren(), 1);
  await child.status;
  equal(livingChildren(), 0);
});
