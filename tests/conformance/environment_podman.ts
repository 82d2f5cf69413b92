/** Podman behind the docker environment, as a conformance target. */
import { createDockerEnvironment } from "../../environments/docker.ts";
import { holdPodman } from "../../scripts/services/podman.ts";
import { orRelease } from "./environment_live.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const podman = await holdPodman();
  const home = await Deno.makeTempDir({ prefix: "hermes-podman-" });
  const opening = createDockerEnvironment({
    cwd: "/",
    home,
    env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/bin", HOME: home, ...podman.running.env },
    settings: {
      docker_binary: "podman",
      docker_image: podman.running.image,
      docker_network: false,
      container_persistent: false,
    },
  });
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
