import { deepEqual, equal, ok } from "node:assert/strict";
import {
  execInstanceArgs,
  type InstancePlan,
  listArgs,
  startArgs,
  stopArgs,
} from "./_singularity_args.ts";

const PLAN: InstancePlan = {
  name: "hermes-1",
  image: "docker://debian",
  overlayDir: "/data/overlay",
  scratchDir: "/data/scratch",
  cpus: 2,
  memoryMb: 512,
  limits: true,
};

Deno.test("startArgs() keeps the root in an overlay and shares nothing", () => {
  deepEqual(startArgs(PLAN), [
    "instance",
    "start",
    "--containall",
    "--no-home",
    "--no-privs",
    "--overlay",
    "/data/overlay",
    "--workdir",
    "/data/scratch",
    "--scratch",
    "/workspace",
    "--memory",
    "512M",
    "--cpus",
    "2",
    "docker://debian",
    "hermes-1",
  ]);
});

Deno.test("startArgs() keeps the root in memory, and drops limits, when told to", () => {
  const args = startArgs({ ...PLAN, overlayDir: undefined, limits: false });
  ok(args.includes("--writable-tmpfs"));
  ok(!args.some((arg) => /--overlay|--memory|--cpus/.test(arg)));
});

Deno.test("execInstanceArgs() runs a shell in the instance", () => {
  deepEqual(execInstanceArgs("hermes-1", { shell: "/bin/sh", script: "echo x", tty: true }), [
    "exec",
    "--containall",
    "--no-home",
    "--no-privs",
    "--pwd",
    "/workspace",
    "instance://hermes-1",
    "/bin/sh",
    "-c",
    "HOME=/workspace; export HOME; echo x",
  ]);
});

Deno.test("listArgs() and stopArgs() name the instance", () => {
  deepEqual(listArgs("i"), ["instance", "list", "--json", "i"]);
  deepEqual(stopArgs("i"), ["instance", "stop", "--timeout", "10", "i"]);
  equal(stopArgs("i").length, 5);
});
