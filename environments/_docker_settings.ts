/** The `terminal` keys that concern containers, read once, with their defaults. */

export interface DockerSettings {
  /** Program to use; empty looks for docker, then podman. */
  binary: string;
  image: string;
  /** Empty: not root. */
  user: string;
  runAsHostUser: boolean;
  readOnly: boolean;
  volumes: readonly string[];
  env: Readonly<Record<string, string>>;
  forwardEnv: readonly string[];
  extraArgs: readonly string[];
  shmSize: string;
  network: boolean;
  mountCwd: boolean;
  /** Keep home and workspace between sessions. */
  persistent: boolean;
  /** Leave the container running for the next hermes. */
  reuse: boolean;
  reapOrphans: boolean;
  allowHostAccess: boolean;
  cpus: number;
  memoryMb: number;
  diskMb: number;
  /** A container that nobody uses ends after this; 0 is never. */
  idleSeconds: number;
}

const DEFAULT_IMAGE = "nikolaik/python-nodejs:python3.11-nodejs20";

export function dockerSettings(settings: Readonly<Record<string, unknown>> = {}): DockerSettings {
  const text = (key: string, or: string) => typed(settings[key], or);
  const flag = (key: string, or: boolean) => typed(settings[key], or);
  const number = (key: string, or: number) => typed(settings[key], or);
  const words = (key: string) => {
    const value = settings[key];
    return Array.isArray(value) ? value.map(String) : [];
  };
  return {
    binary: text("docker_binary", ""),
    image: text("docker_image", DEFAULT_IMAGE),
    user: text("docker_user", ""),
    runAsHostUser: flag("docker_run_as_host_user", false),
    readOnly: flag("docker_read_only", true),
    volumes: words("docker_volumes"),
    env: settings["docker_env"] as Record<string, string> | undefined ?? {},
    forwardEnv: words("docker_forward_env"),
    extraArgs: words("docker_extra_args"),
    shmSize: text("docker_shm_size", "1g"),
    network: flag("docker_network", true),
    mountCwd: flag("docker_mount_cwd_to_workspace", false),
    persistent: flag("container_persistent", true),
    reuse: flag("docker_persist_across_processes", true),
    reapOrphans: flag("docker_orphan_reaper", true),
    allowHostAccess: flag("docker_allow_host_access", false),
    cpus: number("container_cpu", 1),
    memoryMb: number("container_memory", 5120),
    diskMb: number("container_disk", 51_200),
    idleSeconds: number("lifetime_seconds", 300),
  };
}

function typed<T>(value: unknown, or: T): T {
  return typeof value === typeof or ? value as T : or;
}
