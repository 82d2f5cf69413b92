import { deepEqual, equal, match, throws } from "node:assert/strict";
import {
  argumentMounts,
  checkExtraArgs,
  judgeHostAccess,
  parseVolume,
  type PolicyFacts,
} from "./_docker_policy.ts";

const FACTS: PolicyFacts = {
  cwd: "/home/me/project",
  home: "/home/me",
  hermesHome: "/home/me/.hermes",
};

function judge(volumes: readonly string[], args: readonly string[] = []) {
  const mounts = [
    ...volumes.map((text) => parseVolume(text, FACTS)),
    ...argumentMounts(args, FACTS),
  ];
  return judgeHostAccess(mounts, args, FACTS);
}

Deno.test("judgeHostAccess() finds nothing of the host in named volumes and plain arguments", () => {
  deepEqual(judge(["cache:/cache"], ["--gpus=all", "--memory", "1g", "--cap-add=KILL"]), {
    sharesHost: false,
    takeovers: [],
  });
});

Deno.test("judgeHostAccess() sees shared directories without refusing them", () => {
  for (const volume of ["./src:/src", "~/data:/data:ro", "/srv/x:/x", "/etc:/host-etc:ro"]) {
    deepEqual(judge([volume]), { sharesHost: true, takeovers: [] }, volume);
  }
  deepEqual(judge([], ["--mount", "type=bind,source=/srv,target=/srv"]), {
    sharesHost: true,
    takeovers: [],
  });
});

Deno.test("judgeHostAccess() finds every way to hand over the host", () => {
  const volumes = [
    "/:/host",
    "/:/host:ro",
    "/../:/host",
    "/var/run/docker.sock:/var/run/docker.sock",
    "/run/docker.sock:/s:ro",
    "/run/podman/podman.sock:/s",
    "/run/user/1000:/run/user/1000",
    "/srv/any.sock:/s",
    "/etc:/etc",
    "/proc:/p",
    "/sys:/s",
    "/dev:/d",
    "/usr:/usr",
    "/var:/var",
    "/root:/r",
    "~:/me",
    "~/.hermes:/h:ro",
  ];
  for (const volume of volumes) {
    equal(judge([volume]).takeovers.length, 1, volume);
  }
  const args = [
    ["--privileged"],
    ["--privileged=true"],
    ["--pid=host"],
    ["--pid", "host"],
    ["--ipc=host"],
    ["--uts", "host"],
    ["--userns=host"],
    ["--net=host"],
    ["--network", "host"],
    ["--network=container:other"],
    ["--cgroupns=host"],
    ["--device=/dev/sda"],
    ["--device", "/dev/mem"],
    ["--volumes-from", "other"],
    ["--cap-add=SYS_ADMIN"],
    ["--cap-add", "ALL"],
    ["--cap-add=CAP_SYS_PTRACE"],
    ["--security-opt=seccomp=unconfined"],
    ["--security-opt", "apparmor=unconfined"],
    ["--security-opt=no-new-privileges:false"],
    ["--security-opt=label=disable"],
    ["-v", "/:/host"],
    ["-v/:/host"],
    ["--volume=/var/run/docker.sock:/s"],
    ["--mount=type=bind,src=/,dst=/host"],
    ["--mount", "type=bind,source=/var/run/docker.sock,target=/s,readonly"],
  ];
  for (const arg of args) {
    const { sharesHost, takeovers } = judge([], arg);
    equal(takeovers.length, 1, arg.join(" "));
    equal(sharesHost, true);
  }
  deepEqual(judge([], ["--privileged=false", "--pid=private"]).takeovers, []);
});

Deno.test("checkExtraArgs() refuses what hermes decides itself", () => {
  for (const arg of ["--name=x", "--rm", "-d", "--entrypoint", "--restart=always"]) {
    throws(() => checkExtraArgs([arg]), (error) => {
      match((error as Error).message, /docker_extra_args cannot have -/);
      return true;
    });
  }
  checkExtraArgs(["--dns=1.1.1.1"]);
});
