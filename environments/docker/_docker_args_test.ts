import { deepEqual, equal, match, ok } from "node:assert/strict";
import { type ContainerPlan, execArgs, homeOf, keeperScript, runArgs } from "./_docker_args.ts";
import { dockerSettings } from "./_docker_settings.ts";

function plan(
  settings: Record<string, unknown> = {},
  more: Partial<ContainerPlan> = {},
): ContainerPlan {
  return {
    name: "hermes-1",
    labels: { "hermes.agent": "1", "hermes.key": "k" },
    settings: dockerSettings({ docker_image: "image:1", lifetime_seconds: 0, ...settings }),
    user: "1000:1000",
    homeDir: undefined,
    workspaceDir: undefined,
    volumes: [],
    quota: true,
    ...more,
  };
}

Deno.test("runArgs() hardens a container that nothing is said about", () => {
  deepEqual(runArgs(plan({ container_persistent: false })), [
    "run",
    "--detach",
    "--pull=never",
    "--rm",
    "--name=hermes-1",
    "--label=hermes.agent=1",
    "--label=hermes.key=k",
    "--hostname=hermes",
    "--user=1000:1000",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--pids-limit=256",
    "--memory=5120m",
    "--cpus=1",
    "--shm-size=1g",
    "--read-only",
    "--tmpfs=/tmp:rw,nosuid,nodev,exec,mode=1777,size=512m",
    "--tmpfs=/var/tmp:rw,nosuid,nodev,noexec,mode=1777,size=256m",
    "--tmpfs=/run:rw,nosuid,nodev,noexec,mode=1777,size=64m",
    "--tmpfs=/home/hermes:rw,nosuid,nodev,exec,mode=1777,size=51200m",
    "--tmpfs=/workspace:rw,nosuid,nodev,exec,mode=1777,size=51200m",
    "--env=HOME=/home/hermes",
    "--entrypoint=/bin/sh",
    "image:1",
    "-c",
    keeperScript(0),
  ]);
});

Deno.test("runArgs() follows every setting", () => {
  const more = {
    user: "root",
    homeDir: "/data/home",
    workspaceDir: "/data/work",
    volumes: ["/data:/data:ro", "cache:/cache"],
  };
  const args = (changes: Partial<ContainerPlan>) =>
    runArgs(plan({
      docker_network: false,
      docker_read_only: false,
      docker_shm_size: "64m",
      docker_extra_args: ["--gpus=all"],
      container_cpu: 0,
      container_memory: 0,
      container_disk: 100,
    }, { ...more, ...changes }));
  deepEqual(args({}).slice(3, -4), [
    "--name=hermes-1",
    "--label=hermes.agent=1",
    "--label=hermes.key=k",
    "--hostname=hermes",
    "--user=root",
    "--cap-drop=ALL",
    "--cap-add=CHOWN",
    "--cap-add=DAC_OVERRIDE",
    "--cap-add=FOWNER",
    "--cap-add=SETGID",
    "--cap-add=SETUID",
    "--security-opt=no-new-privileges",
    "--pids-limit=256",
    "--shm-size=64m",
    "--storage-opt=size=100m",
    "--tmpfs=/tmp:rw,nosuid,nodev,exec,mode=1777,size=512m",
    "--tmpfs=/var/tmp:rw,nosuid,nodev,noexec,mode=1777,size=256m",
    "--tmpfs=/run:rw,nosuid,nodev,noexec,mode=1777,size=64m",
    "--volume=/data/home:/root",
    "--volume=/data/work:/workspace",
    "--network=none",
    "--volume=/data:/data:ro",
    "--volume=cache:/cache",
    "--env=HOME=/root",
    "--gpus=all",
  ]);
  ok(!args({ quota: false }).some((arg) => /storage-opt/.test(arg)));
});

Deno.test("execArgs() runs a shell in the container", () => {
  const command = { shell: "/bin/sh", script: "echo 'x'", tty: false };
  deepEqual(execArgs("c", command), ["exec", "-i", "c", "/bin/sh", "-c", "echo 'x'"]);
  deepEqual(execArgs("c", { ...command, tty: true })[1], "-it");
});

Deno.test("homeOf() knows root by every name", () => {
  for (const root of ["root", "0", "0:0", "root:wheel"]) equal(homeOf(root), "/root");
  for (const other of ["1000:1000", "roots", "01"]) equal(homeOf(other), "/home/hermes");
});

Deno.test("keeperScript() ends by itself when nobody is left, unless told never to", () => {
  match(keeperScript(300), /\$n -gt 60 \] && exit 0/);
  ok(!keeperScript(0).includes("/proc"));
});
