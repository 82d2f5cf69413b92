import { equal, ok } from "node:assert/strict";
import { makeLauncher } from "../../process/launcher/launcher.ts";
import { must } from "../../process/launcher/launcher_image.ts";
import { onlyVariables } from "../../process/child_environment.ts";
import { spawnChild } from "../../process/spawn.ts";
import { makeNamespaces } from "./namespaces.ts";
import { onLinux } from "../../../tests/support/linux.ts";

const FIRST_DESCRIPTOR = 3;
const LAST_DESCRIPTOR = 0xffff_ffff;

Deno.test({
  ...onLinux("Namespaces.close() ends what has left its session and cleared its variables"),
  fn: async () => {
    const namespaces = await makeNamespaces({ mounts: [], network: false });
    if (namespaces === undefined) {
      return console.log("not tested: this system allows no namespaces");
    }
    const launcher = makeLauncher([
      must("setsid"),
      must("close_range", FIRST_DESCRIPTOR, LAST_DESCRIPTOR, 0),
      ...namespaces.joinSteps(FIRST_DESCRIPTOR),
    ]);
    ok(launcher);
    const child = spawnChild({
      argv: ["/bin/sh", "-c", "echo begun; exec sleep 600"],
      env: onlyVariables({}),
      cwd: "/",
      group: "session",
      launcher: launcher.path,
      stdout: "piped",
    });
    const output = child.stdout.getReader();
    await output.read();
    await namespaces.close();
    equal((await child.status).signal, "SIGKILL");
    await output.cancel();
    launcher.close();
  },
});
