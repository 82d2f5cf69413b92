/** The docker environment as a conformance target: one container, reused by its label. */
import {
  createDockerEnvironment,
  openDocker,
} from "../../environments/docker/docker_environment.ts";
import { holdDocker } from "../../scripts/services/docker.ts";
import { randomId } from "../../src/util/id.ts";
import { dockerTestOptions } from "../support/docker_environment.ts";
import { orRelease } from "./environment_live.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const docker = await holdDocker();
  const options = dockerTestOptions(docker.running);
  // What the container calls /workspace.
  const workspace = `${options.dataDir}/sandboxes/docker/workspace`;
  const name = `case-${randomId(8)}`;
  await Deno.mkdir(`${workspace}/${name}`, { recursive: true });
  await Deno.chmod(`${workspace}/${name}`, 0o777);
  const dir = `/workspace/${name}`;
  // Orphans are the business of another suite.
  const settings = { ...options.settings, cwd: dir, "docker_orphan_reaper": false };
  const withDir = { ...options, settings };
  const env = await orRelease(docker, createDockerEnvironment(withDir));
  return {
    env,
    dir,
    async close() {
      await env.close();
      await Deno.remove(`${workspace}/${name}`, { recursive: true });
      await docker.release();
    },
    async breakDown() {
      const { host } = await openDocker(withDir);
      await host.engine.call(["kill", host.label.replace("container ", "")]);
    },
  };
}
