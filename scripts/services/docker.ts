/**
 * A docker daemon for tests and benchmarks: the one that runs already, else one of Debian's
 * `docker.io` with its own data and socket, and in both a small image that has nothing but
 * busybox. No registry, no bridge network, no root image needed.
 */
import { busyboxArchive, TEST_IMAGE } from "./_image.ts";
import {
  type HeldService,
  holdService,
  needProgram,
  run,
  ServiceUnavailable,
  startDaemon,
  stopDaemon,
  waitFor,
} from "./_service.ts";

export interface DockerService {
  /** For `DOCKER_HOST`; undefined for the daemon of the machine. */
  host?: string;
  pidFile?: string;
  /** Busybox: `sh`, no bash. */
  image: string;
}

/** @throws ServiceUnavailable where the machine forbids it. */
export function holdDocker(): Promise<HeldService<DockerService>> {
  return holdService<DockerService>({
    name: "docker",
    works: (running) => answers(running.host),
    start: async (dir) => {
      await needProgram("docker", "docker.io");
      const running = await answers() ? { image: TEST_IMAGE } : await startDocker(dir);
      await importImage(running, dir);
      return running;
    },
    stop: async (running) => {
      if (running.pidFile) await stopDaemon(running.pidFile);
      else await docker(running, ["image", "rm", "-f", TEST_IMAGE]);
    },
  });
}

function docker(service: { host?: string }, args: string[], stdin?: Uint8Array) {
  const env: Record<string, string> = service.host ? { DOCKER_HOST: service.host } : {};
  return run(["docker", ...args], { env, ...(stdin ? { stdin } : {}) });
}

async function answers(host?: string): Promise<boolean> {
  const { code } = await docker(host ? { host } : {}, ["version"]);
  return code === 0;
}

async function startDocker(dir: string): Promise<DockerService> {
  if (Deno.uid() !== 0) {
    throw new ServiceUnavailable("no docker daemon runs, and only root can start one");
  }
  const daemon = await needProgram("dockerd", "docker.io");
  const host = `unix://${dir}/docker.sock`;
  const pidFile = `${dir}/dockerd.pid`;
  const log = `${dir}/dockerd.log`;
  await startDaemon([
    daemon,
    `--data-root=${dir}/data`,
    `--exec-root=${dir}/exec`,
    `--pidfile=${pidFile}`,
    `--host=${host}`,
    "--storage-driver=vfs",
    "--bridge=none",
    "--iptables=false",
    "--ip-forward=false",
    "--ip-masq=false",
  ], log);
  await waitFor("dockerd does not start here", { log, isSo: () => answers(host) });
  return { host, pidFile, image: TEST_IMAGE };
}

async function importImage(service: DockerService, dir: string): Promise<void> {
  const imported = await docker(service, ["import", "-", TEST_IMAGE], await busyboxArchive(dir));
  if (imported.code !== 0) {
    throw new ServiceUnavailable(`cannot import an image: ${imported.output.trim()}`);
  }
}
