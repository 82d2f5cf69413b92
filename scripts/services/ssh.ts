/**
 * An `sshd` on loopback for tests and benchmarks, with keys made for the occasion. Logs in as
 * the user who runs it, with a home of its own.
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

export interface SshService {
  port: number;
  user: string;
  /** Identity file that may log in. */
  key: string;
  /** Client configuration: where the known host keys are. */
  config: string;
  /** The home of the session. */
  home: string;
  pidFile: string;
}

/** @throws ServiceUnavailable where the machine forbids it. */
export function holdSsh(): Promise<HeldService<SshService>> {
  return holdService<SshService>({
    name: "ssh",
    works: listens,
    start: startSsh,
    stop: ({ pidFile }) => stopDaemon(pidFile),
  });
}

function login(service: SshService): string[] {
  const { port, user, key, config } = service;
  return [
    "ssh",
    "-F",
    config,
    "-o",
    "BatchMode=yes",
    "-i",
    key,
    "-p",
    `${port}`,
    `${user}@127.0.0.1`,
  ];
}

/** Cheap: whether the port still answers. */
async function listens({ port }: SshService): Promise<boolean> {
  try {
    using _connection = await Deno.connect({ hostname: "127.0.0.1", port });
    return true;
  } catch {
    return false; // Nobody is there.
  }
}

async function answers(service: SshService): Promise<boolean> {
  return (await run([...login(service), "true"])).code === 0;
}

async function startSsh(dir: string): Promise<SshService> {
  await needProgram("ssh", "openssh-client");
  const daemon = await needProgram("sshd", "openssh-server");
  const port = freePort();
  const user = (await run(["id", "-un"])).output.trim();
  const home = `${dir}/home`;
  const files = { key: `${dir}/id`, config: `${dir}/ssh_config`, pidFile: `${dir}/sshd.pid` };
  const service: SshService = { port, user, home, ...files };
  const log = `${dir}/sshd.log`;
  const script = `set -e; cd ${dir}; mkdir home; [ "$(id -u)" = 0 ] && mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f id
cp id.pub authorized_keys; chmod 600 authorized_keys
echo "[127.0.0.1]:${port} $(cut -d' ' -f1,2 host.pub)" >known_hosts
printf '%s\\n' "UserKnownHostsFile ${dir}/known_hosts" "KexAlgorithms curve25519-sha256" >ssh_config`;
  const made = await run(["/bin/sh", "-c", script]);
  if (made.code !== 0) throw new ServiceUnavailable(`cannot prepare sshd: ${made.output.trim()}`);
  await Deno.writeTextFile(`${dir}/sshd_config`, sshdConfig(dir, service));
  await startDaemon([daemon, "-D", "-e", "-f", `${dir}/sshd_config`], log);
  await waitFor("sshd does not start here", { log, isSo: () => answers(service) });
  return service;
}

function sshdConfig(dir: string, { port, home, pidFile }: SshService): string {
  return `Port ${port}
ListenAddress 127.0.0.1
HostKey ${dir}/host
PidFile ${pidFile}
AuthorizedKeysFile ${dir}/authorized_keys
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
MaxStartups 100
SetEnv HOME=${home}
`;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}
