import { equal, match } from "node:assert/strict";
import { onlyVariables } from "../../src/process/child_environment.ts";
import { DockerEngine } from "./_docker_engine.ts";
import { dockerSettings } from "./_docker_settings.ts";
import { containerUser, workspaceNotice } from "./docker_environment.ts";

const MINE = { uid: 1234, gid: 1235, mode: 0o40755 };
const ROOTS = { uid: 0, gid: 0, mode: 0o40755 };

Deno.test("containerUser() is who owns a mounted directory, and root only when told so", () => {
  const plain = dockerSettings({});
  equal(containerUser(plain, { uid: 501, gid: 20, owner: ROOTS }), "501:20");
  equal(containerUser(plain, { uid: 0, gid: 0 }), "1000:1000");
  equal(containerUser(plain, { uid: 0, gid: 0, owner: MINE }), "1234:1235");
  equal(containerUser(plain, { uid: 0, gid: 0, owner: ROOTS }), "1000:1000");
  const asHost = dockerSettings({ docker_run_as_host_user: true });
  equal(containerUser(asHost, { uid: 0, gid: 0, owner: MINE }), "0:0");
  const named = dockerSettings({ docker_user: "app" });
  equal(containerUser(named, { uid: 0, gid: 0, owner: MINE }), "app");
});

Deno.test("workspaceNotice() says that the directory is not there, or may not be written", () => {
  const apart = workspaceNotice(dockerSettings({}), { cwd: "/p", owner: MINE, user: "1000:1000" });
  match(apart!, /start in \/workspace.*nothing of \/p is; .*docker_mount_cwd_to_workspace: true/);
  const mounted = dockerSettings({ docker_mount_cwd_to_workspace: true });
  const said = (owner: typeof MINE, user: string) =>
    workspaceNotice(mounted, { cwd: "/p", owner, user });
  equal(said(MINE, "1234:1235"), undefined);
  match(
    said(ROOTS, "1000:1000")!,
    /user 1000:1000 .* may not write \/p; .*docker_run_as_host_user/,
  );
  equal(said({ ...ROOTS, mode: 0o40777 }, "1000:1000"), undefined);
  equal(said({ ...ROOTS, gid: 7, mode: 0o40775 }, "1000:7"), undefined);
  equal(said(ROOTS, "0:0"), undefined);
  const volumes = dockerSettings({ docker_volumes: ["/a:/b"] });
  equal(workspaceNotice(volumes, { cwd: "/p", owner: MINE, user: "1:1" }), undefined);
});

Deno.test("a container that cannot start names docker's reason, not its advice", () => {
  const engine = new DockerEngine("/usr/bin/docker", onlyVariables({}));
  const stderr = "docker: Error response from daemon: no space left on device\n\n" +
    "Run 'docker run --help' for more information\n";
  const failure = engine.failure("cannot start a container", {
    code: 125,
    stdout: "",
    stderr,
    timedOut: false,
  });
  equal(
    failure.message,
    "docker cannot start a container: docker: Error response from daemon: no space left on device",
  );
});
