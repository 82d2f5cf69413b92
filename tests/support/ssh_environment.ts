/** What the ssh environment of a test gets: the shared server, its key and its known hosts. */
import type { EnvironmentOptions } from "../../environments/options.ts";
import type { SshService } from "../../scripts/services/ssh.ts";

export function sshTestOptions(service: SshService): EnvironmentOptions {
  const { port, user, key, config, home } = service;
  return {
    cwd: "/",
    home,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home },
    settings: {
      ssh_host: "127.0.0.1",
      ssh_user: user,
      ssh_port: port,
      ssh_key: key,
      ssh_config: config,
    },
  };
}
