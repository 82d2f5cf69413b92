/**
 * Commands and files in a container of docker or podman, hardened unless told otherwise: no
 * root, no capabilities, no new privileges, a read-only root, limits on everything. Refuses a
 * configuration that hands over the host.
 */
import type { Environment } from "../../src/protocol/environment.ts";
import { EnvironmentError, UsageError } from "../../src/protocol/error.ts";
import { sha256Hex } from "../../src/util/hash.ts";
import { randomId } from "../../src/util/id.ts";
import type { ClientCommand } from "../remote/channel.ts";
import { type ContainerPlan, execArgs, runArgs } from "./_docker_args.ts";
import { DockerEngine, LABEL } from "./_docker_engine.ts";
import {
  argumentMounts,
  checkExtraArgs,
  judgeHostAccess,
  type Mount,
  parseVolume,
  type PolicyFacts,
} from "./_docker_policy.ts";
import { type DockerSettings, dockerSettings } from "./_docker_settings.ts";
import { thisOwner } from "../../src/process/owner.ts";
import { createRemoteEnvironment } from "../remote/remote_environment.ts";
import type { RemoteCommandLine, RemoteHost } from "../remote/remote_host.ts";
import { passedVariables, sandboxDir } from "../settings.ts";
import { WORKSPACE } from "../start_directory.ts";
import type { EnvironmentOptions } from "../options.ts";

/** Uid and gid in the container when hermes itself runs as root. */
const PLAIN_USER = 1000;

/** Starts or finds the container. @throws UsageError for a configuration that gives the host away. */
export async function createDockerEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { host, sharesHost, settings } = await openDocker(options);
  const notice = workspaceNotice(settings, {
    cwd: options.cwd,
    owner: await ownerOf(options.cwd),
    user: host.user,
  });
  if (notice !== undefined) options.onProgress?.(notice);
  return await createRemoteEnvironment({
    name: "docker",
    sharesHost,
    host,
    exports: { ...passedVariables(options, settings.forwardEnv), ...settings.env },
    settings: options.settings,
  });
}

export interface OpenedDocker {
  host: DockerHost;
  sharesHost: boolean;
  settings: DockerSettings;
}

/** Everything but the shell: decides, starts nothing yet. */
export async function openDocker(options: EnvironmentOptions): Promise<OpenedDocker> {
  const settings = dockerSettings(options.settings);
  const facts = {
    cwd: options.cwd,
    home: options.home,
    hermesHome: options.dataDir ?? `${options.home}/.hermes`,
  };
  checkExtraArgs(settings.extraArgs);
  const volumes = settings.volumes.map((text) => parseVolume(text, facts));
  const cwdMount = { source: options.cwd, text: options.cwd, readOnly: false };
  const mounts = [
    ...volumes,
    ...(settings.mountCwd ? [cwdMount] : []),
    ...argumentMounts(settings.extraArgs, facts),
  ];
  const access = judgeHostAccess(await resolved(mounts), settings.extraArgs, facts);
  if (access.takeovers.length > 0 && !settings.allowHostAccess) {
    throw new UsageError(`The container would control this machine: ${access.takeovers[0]}`, {
      hint: "Change the configuration, or set terminal.docker_allow_host_access: true",
    });
  }
  const engine = await DockerEngine.find({ ...options, binary: settings.binary });
  const plan = await planContainer(settings, {
    facts,
    volumes,
    keptDir: sandboxDir(options, "docker"),
  });
  const host = new DockerHost(engine, plan, options.onProgress ?? (() => {}));
  return { host, sharesHost: access.sharesHost, settings };
}

/** Symbolic links must not hide what is mounted. */
async function resolved(mounts: readonly Mount[]): Promise<Mount[]> {
  return await Promise.all(mounts.map(async (mount) => ({
    ...mount,
    source: await Deno.realPath(mount.source).catch(() => mount.source),
  })));
}

async function planContainer(
  settings: DockerSettings,
  context: { facts: PolicyFacts; volumes: readonly Mount[]; keptDir: string },
): Promise<ContainerPlan> {
  const { facts, volumes, keptDir } = context;
  const { persistent, mountCwd } = settings;
  const plan: ContainerPlan = {
    name: "",
    labels: {},
    settings,
    user: containerUser(settings, {
      uid: Deno.uid() ?? PLAIN_USER,
      gid: Deno.gid() ?? PLAIN_USER,
      ...(mountCwd ? { owner: await ownerOf(facts.cwd) } : {}),
    }),
    homeDir: persistent ? `${keptDir}/home` : undefined,
    workspaceDir: mountCwd ? facts.cwd : persistent ? `${keptDir}/workspace` : undefined,
    volumes: volumes.map(({ source, text }) => source + text.slice(text.indexOf(":"))),
    quota: true,
  };
  const key = (await sha256Hex(JSON.stringify(runArgs(plan)))).slice(0, 12);
  const profile = (await sha256Hex(facts.hermesHome)).slice(0, 12);
  return {
    ...plan,
    name: `hermes-${persistent ? key : randomId(12)}`,
    labels: {
      [LABEL.agent]: "1",
      [LABEL.key]: key,
      [LABEL.profile]: profile,
      ...(persistent ? {} : { [LABEL.owner]: await thisOwner() }),
    },
  };
}

/** Who may write a directory; undefined where that is not known. */
export interface DirectoryOwner {
  uid: number;
  gid: number;
  mode: number;
}

async function ownerOf(directory: string): Promise<DirectoryOwner | undefined> {
  const info = await Deno.stat(directory).catch(() => undefined);
  const { uid = null, gid = null, mode = null } = info ?? {};
  return uid === null || gid === null || mode === null ? undefined : { uid, gid, mode };
}

/**
 * The user in the container, never root unless the settings say so: that of hermes; when hermes is
 * root itself, the owner of a directory that is mounted, or an ordinary user.
 */
export function containerUser(
  settings: DockerSettings,
  host: { uid: number; gid: number; owner?: DirectoryOwner | undefined },
): string {
  if (settings.user !== "") return settings.user;
  if (host.uid !== 0 || settings.runAsHostUser) return `${host.uid}:${host.gid}`;
  const { owner } = host;
  return owner === undefined || owner.uid === 0
    ? `${PLAIN_USER}:${PLAIN_USER}`
    : `${owner.uid}:${owner.gid}`;
}

/** One line where commands will not find, or may not change, the directory hermes was started in. */
export function workspaceNotice(
  settings: DockerSettings,
  place: { cwd: string; owner: DirectoryOwner | undefined; user: string },
): string | undefined {
  const { cwd, owner, user } = place;
  if (!settings.mountCwd) {
    if (settings.volumes.length > 0) return undefined;
    return `commands start in ${WORKSPACE} of the container, where nothing of ${cwd} is; ` +
      "terminal.docker_mount_cwd_to_workspace: true mounts it there";
  }
  const [uid, gid] = user.split(":").map(Number);
  if (owner === undefined || !Number.isInteger(uid) || uid === 0) return undefined;
  const bits = owner.uid === uid ? 0o200 : owner.gid === gid ? 0o020 : 0o002;
  if ((owner.mode & bits) !== 0) return undefined;
  return `user ${user} of the container may not write ${cwd}; ` +
    "terminal.docker_run_as_host_user: true lets commands write what you may write";
}

export class DockerHost implements RemoteHost {
  readonly engine: DockerEngine;
  readonly #plan: ContainerPlan;
  readonly #onProgress: (line: string) => void;
  #reaping: Promise<unknown> | undefined;
  #made = false;

  constructor(engine: DockerEngine, plan: ContainerPlan, onProgress: (line: string) => void) {
    this.engine = engine;
    this.#plan = plan;
    this.#onProgress = onProgress;
  }

  /** Who commands run as in the container. */
  get user(): string {
    return this.#plan.user;
  }

  get label(): string {
    return `container ${this.#plan.name}`;
  }

  /** What marks the containers of the same home of hermes. */
  get profile(): string {
    return this.#plan.labels[LABEL.profile]!;
  }

  async connect(): Promise<void> {
    const { name, labels, settings } = this.#plan;
    const known = settings.persistent || this.#made ? await this.engine.inspect(name) : undefined;
    if (settings.reapOrphans) this.#reaping ??= this.#reap();
    if (known && known.key !== labels[LABEL.key]) {
      throw new EnvironmentError(`The container ${name} is not one of hermes. Rename or remove it`);
    }
    if (known?.running) return;
    if (known) return await this.engine.start(name);
    await this.#makeDirectories();
    await this.engine.run(this.#plan, this.#onProgress);
    this.#made = true;
  }

  client(command: RemoteCommandLine): ClientCommand {
    const { program, env } = this.engine;
    return { argv: [program, ...execArgs(this.#plan.name, command)], env };
  }

  /** The engine still calls a container running whose processes were killed a moment ago. */
  async isAlive(): Promise<boolean> {
    const script = { shell: "/bin/sh", script: ":", tty: false };
    return (await this.engine.call(execArgs(this.#plan.name, script))).code === 0;
  }

  async close(): Promise<void> {
    const { name, settings } = this.#plan;
    await this.#reaping;
    if (!settings.persistent || !settings.reuse) await this.engine.remove(name);
  }

  /** What others left behind must not stop this one. */
  async #reap(): Promise<void> {
    try {
      for (const name of await this.engine.reap()) this.#onProgress(`removed ${name}`);
    } catch (error) {
      this.#onProgress(`cannot remove old containers: ${(error as Error).message}`);
    }
  }

  /** Directories that the container's user may write to. */
  async #makeDirectories(): Promise<void> {
    const { user, homeDir, workspaceDir, settings } = this.#plan;
    const [uid, gid = uid] = user.split(":").map(Number);
    for (const dir of [homeDir, settings.mountCwd ? undefined : workspaceDir]) {
      if (dir === undefined) continue;
      await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
      if (Deno.uid() === 0 && Number.isInteger(uid)) await Deno.chown(dir, uid!, gid!);
    }
  }
}
