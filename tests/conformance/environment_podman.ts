/** Podman behind the docker environment, as a conformance target. */
import { createDockerEnvironment } from "../../environments/docker/docker_environment.ts";
import { holdPodman } from "../../scripts/services/podman.ts";
import { podmanTestOptions } from "../support/docker_environment.ts";
import { orRelease } from "./environment_live.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const podman = await holdPodman();
  const home = await Deno.makeTempDir({ prefix: "hermes-podman-" });
  const options = podmanTestOptions(podman.running, home);
  const settings = { ...options.settings, "container_persistent": false };
  const opening = createDockerEnvironment({ ...options, settings });
  const env = await orRelease(podman, opening);
  return {
    env,
    dir: "/workspace",
    async close() {
      await env.close();
      await Deno.remove(home, { recursive: true });
      await podman.release();
    },
  };
}
