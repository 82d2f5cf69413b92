/** Podman for tests, with storage of its own and the same small image as docker has. */
import { busyboxArchive, TEST_IMAGE } from "./_image.ts";
import { type HeldService, holdService, needProgram, run, ServiceUnavailable } from "./_service.ts";

export interface PodmanService {
  /** Variables that point podman at the storage. */
  env: Record<string, string>;
  /** Busybox: `sh`, no bash. */
  image: string;
}

/** @throws ServiceUnavailable where the machine forbids it. */
export function holdPodman(): Promise<HeldService<PodmanService>> {
  return holdService<PodmanService>({
    name: "podman",
    works: async ({ env }) =>
      (await run(["podman", "image", "exists", TEST_IMAGE], { env })).code === 0,
    start: startPodman,
    stop: async ({ env }) => {
      await run(["podman", "rm", "--all", "--force"], { env });
    },
  });
}

async function startPodman(dir: string): Promise<PodmanService> {
  await needProgram("podman", "podman");
  const runtime = await needProgram("runc", "runc");
  await Deno.writeTextFile(
    `${dir}/containers.conf`,
    `[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n` +
      `[engine]\nruntime = "${runtime}"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n`,
  );
  await Deno.writeTextFile(
    `${dir}/storage.conf`,
    `[storage]\ndriver = "vfs"\ngraphroot = "${dir}/data"\nrunroot = "${dir}/state"\n`,
  );
  const env = {
    CONTAINERS_CONF: `${dir}/containers.conf`,
    CONTAINERS_STORAGE_CONF: `${dir}/storage.conf`,
  };
  const stdin = await busyboxArchive(dir);
  const made = await run(["podman", "import", "-", TEST_IMAGE], { env, stdin });
  if (made.code !== 0) {
    throw new ServiceUnavailable(
      `podman does not work here: ${made.output.trim().split("\n").at(-1)}`,
    );
  }
  return { env, image: TEST_IMAGE };
}
