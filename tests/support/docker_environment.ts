/** What the docker environment of a test gets: the shared daemon or podman, and its own home. */
import type { EnvironmentOptions } from "../../environments/options.ts";
import type { DockerService } from "../../scripts/services/docker.ts";
import type { PodmanService } from "../../scripts/services/podman.ts";

export type DockerTestOptions = EnvironmentOptions & { dataDir: string };

/** Kept containers of one test run share the data directory, and with it the container. */
export function dockerTestOptions(service: DockerService): DockerTestOptions {
  const home = `/tmp/hermes-services-${Deno.uid()}/docker/run`;
  return {
    cwd: "/",
    home,
    dataDir: `${home}/hermes`,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: home,
      ...(service.host ? { DOCKER_HOST: service.host } : {}),
    },
    settings: { docker_image: service.image, docker_network: false },
  };
}

/** The same for podman, whose files lie in `home`. */
export function podmanTestOptions(service: PodmanService, home: string): EnvironmentOptions {
  return {
    cwd: "/",
    home,
    env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/bin", HOME: home, ...service.env },
    settings: { docker_binary: "podman", docker_image: service.image, docker_network: false },
  };
}
