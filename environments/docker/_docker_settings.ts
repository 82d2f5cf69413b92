/** The `terminal` keys that concern containers, read once, with their defaults. */
import { DEFAULT_IMAGE, readSetting, readWords, type TerminalSettings } from "../settings.ts";

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
  /** An unused container ends after this; 0 is never. */
  idleSeconds: number;
}

export function dockerSettings(settings: TerminalSettings = {}): DockerSettings {
  return {
    binary: readSetting(settings, "docker_binary", ""),
    image: readSetting(settings, "docker_image", DEFAULT_IMAGE),
    user: readSetting(settings, "docker_user", ""),
    runAsHostUser: readSetting(settings, "docker_run_as_host_user", false),
    readOnly: readSetting(settings, "docker_read_only", true),
    volumes: readWords(settings, "docker_volumes"),
    env: settings["docker_env"] as Record<string, string> | undefined ?? {},
    forwardEnv: readWords(settings, "docker_forward_env"),
    extraArgs: readWords(settings, "docker_extra_args"),
    shmSize: readSetting(settings, "docker_shm_size", "1g"),
    network: readSetting(settings, "docker_network", true),
    mountCwd: readSetting(settings, "docker_mount_cwd_to_workspace", false),
    persistent: readSetting(settings, "container_persistent", true),
    reuse: readSetting(settings, "docker_persist_across_processes", true),
    reapOrphans: readSetting(settings, "docker_orphan_reaper", true),
    allowHostAccess: readSetting(settings, "docker_allow_host_access", false),
    cpus: readSetting(settings, "container_cpu", 1),
    memoryMb: readSetting(settings, "container_memory", 5120),
    diskMb: readSetting(settings, "container_disk", 51_200),
    idleSeconds: readSetting(settings, "lifetime_seconds", 300),
  };
}
