/** Argument lists for docker and podman. Pure: the same plan gives the same words. */
import type { DockerSettings } from "./_docker_settings.ts";
import type { RemoteCommandLine } from "../remote/remote_host.ts";
import { WORKSPACE } from "../start_directory.ts";

/** One container, decided down to the last word. */
export interface ContainerPlan {
  name: string;
  labels: Readonly<Record<string, string>>;
  settings: DockerSettings;
  /** `user` or `uid:gid`. */
  user: string;
  /** Host directories behind the home and /workspace; undefined for memory. */
  homeDir: string | undefined;
  workspaceDir: string | undefined;
  /** Volumes with resolved sources. */
  volumes: readonly string[];
  /** False where the engine cannot limit what is written to the root. */
  quota: boolean;
}

/** Enough for package managers run as root; other users have none at all. */
const ROOT_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"];
const PIDS = 256;
/** How often the first process of a container looks whether anybody is left. */
const LOOK_S = 5;

export function isRootUser(user: string): boolean {
  return /^(?:root|0)(?::|$)/.test(user);
}

export function homeOf(user: string): string {
  return isRootUser(user) ? "/root" : "/home/hermes";
}

/**
 * The first process: collects orphans, ends when asked to, and by itself when there has been
 * no other process but its own `sleep` for a while.
 */
export function keeperScript(idleSeconds: number): string {
  const looks = Math.ceil(idleSeconds / LOOK_S);
  const idle = idleSeconds === 0
    ? ""
    : ` set -- /proc/[0-9]*; [ $# -gt 1 ] && n=0; n=$((n+1)); [ $n -gt ${looks} ] && exit 0;`;
  return `trap "exit 0" TERM INT; n=0; while :; do sleep ${LOOK_S} & wait $!;${idle} done`;
}

/** `docker run …` for the plan. */
export function runArgs(plan: ContainerPlan): string[] {
  const { settings, user } = plan;
  return [
    "run",
    "--detach",
    "--pull=never",
    ...(settings.persistent ? [] : ["--rm"]),
    `--name=${plan.name}`,
    ...Object.entries(plan.labels).map(([key, value]) => `--label=${key}=${value}`),
    "--hostname=hermes",
    `--user=${user}`,
    "--cap-drop=ALL",
    ...(isRootUser(user) ? ROOT_CAPABILITIES.map((name) => `--cap-add=${name}`) : []),
    "--security-opt=no-new-privileges",
    `--pids-limit=${PIDS}`,
    ...(settings.memoryMb > 0 ? [`--memory=${settings.memoryMb}m`] : []),
    ...(settings.cpus > 0 ? [`--cpus=${settings.cpus}`] : []),
    `--shm-size=${settings.shmSize}`,
    ...(settings.readOnly ? ["--read-only"] : []),
    ...(hasQuota(plan) ? [`--storage-opt=size=${settings.diskMb}m`] : []),
    ...storage(plan),
    ...(settings.network ? [] : ["--network=none"]),
    ...plan.volumes.map((volume) => `--volume=${volume}`),
    `--env=HOME=${homeOf(user)}`,
    ...settings.extraArgs,
    "--entrypoint=/bin/sh",
    settings.image,
    "-c",
    keeperScript(settings.idleSeconds),
  ];
}

/** True when the root can be written to and that is limited. */
export function hasQuota({ settings, quota }: ContainerPlan): boolean {
  return quota && !settings.readOnly && settings.diskMb > 0;
}

function storage(plan: ContainerPlan): string[] {
  const { settings, homeDir, workspaceDir } = plan;
  const size = settings.diskMb > 0 ? `,size=${settings.diskMb}m` : "";
  const place = (dir: string | undefined, target: string) =>
    dir === undefined
      ? `--tmpfs=${target}:rw,nosuid,nodev,exec,mode=1777${size}`
      : `--volume=${dir}:${target}`;
  return [
    "--tmpfs=/tmp:rw,nosuid,nodev,exec,mode=1777,size=512m",
    "--tmpfs=/var/tmp:rw,nosuid,nodev,noexec,mode=1777,size=256m",
    "--tmpfs=/run:rw,nosuid,nodev,noexec,mode=1777,size=64m",
    place(homeDir, homeOf(plan.user)),
    place(workspaceDir, WORKSPACE),
  ];
}

/** `docker exec …` of a shell. */
export function execArgs(container: string, command: RemoteCommandLine): string[] {
  const { shell, script, tty } = command;
  return ["exec", tty ? "-it" : "-i", container, shell, "-c", script];
}
