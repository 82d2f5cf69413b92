/**
 * A docker daemon for tests and benchmarks: the one that runs already, else one of Debian's
 * `docker.io` with its own data and socket, and in both a small image that has nothing but
 * busybox. No registry, no bridge network, no root image needed.
 */
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

const IMAGE = "hermes-test:busybox";

/** @throws ServiceUnavailable where the machine forbids it. */
export function holdDocker(): Promise<HeldService<DockerService>> {
  return holdService<DockerService>({
    name: "docker",
    works: (running) => answers(running.host),
    start: async (dir) => {
      await needProgram("docker", "docker.io");
      const running = await answers() ? { image: IMAGE } : await startDocker(dir);
      await importImage(running, dir);
      return running;
    },
    stop: async (running) => {
      if (running.pidFile) await stopDaemon(running.pidFile);
      else await docker(running, ["image", "rm", "-f", IMAGE]);
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
  return { host, pidFile, image: IMAGE };
}

/** The root file system: busybox, its applets as links, a place for temporary files. */
async function importImage(service: DockerService, dir: string): Promise<void> {
  const busybox = await needProgram("busybox", "busybox-static");
  const root = `${dir}/image`;
  const script = `set -e; mkdir -p ${root}; cd ${root}; chmod 755 .
mkdir bin etc tmp proc dev sys root; chmod 1777 tmp; cp ${busybox} bin/busybox
for name in $(bin/busybox --list); do [ -e bin/$name ] || ln -s busybox bin/$name; done
echo root:x:0:0:root:/root:/bin/sh >etc/passwd; echo root:x:0: >etc/group
tar -c . >${dir}/image.tar`;
  const made = await run(["/bin/sh", "-c", script]);
  const tar = await Deno.readFile(`${dir}/image.tar`).catch(() => new Uint8Array());
  const imported = await docker(service, ["import", "-", IMAGE], tar);
  if (imported.code !== 0) {
    throw new ServiceUnavailable(`cannot make an image: ${made.output}${imported.output}`.trim());
  }
}
