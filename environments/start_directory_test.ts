import { equal } from "node:assert/strict";
import { startDirectory } from "./start_directory.ts";

Deno.test("startDirectory() is the one configured where that can be meant for the place", () => {
  const cases = [
    ["docker", ".", "/workspace"],
    ["docker", "/srv", "/srv"],
    ["docker", "~/src", "~/src"],
    ["singularity", "relative/path", "/workspace"],
    ["ssh", ".", "~"],
    ["ssh", "/home/me/src", "/home/me/src"],
    ["modal", "/home/me/src", "~"],
    ["daytona", "/srv", "/srv"],
  ] as const;
  for (const [name, cwd, expected] of cases) equal(startDirectory(name, { cwd }), expected);
  equal(startDirectory("daytona"), "~");
});
