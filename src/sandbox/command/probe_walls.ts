/**
 * Which walls stand on this machine, found by raising them and trying one command behind them.
 * For people who ask: sessions raise their own and say what is missing. Leaves nothing behind.
 */
import { onlyVariables } from "../../process/child_environment.ts";
import { spawnChild } from "../../process/spawn.ts";
import type { NetworkAccess, SandboxPolicy } from "../../protocol/sandbox.ts";
import { joinPath } from "../../util/path.ts";
import { reasonOf } from "../../util/reason.ts";
import { HostDisk } from "./disk.ts";
import { type KernelWalls, raiseKernelWalls } from "./kernel_walls.ts";
import { placeOf } from "./place_of.ts";
import { keepsFiles, type StandingWalls } from "./standing.ts";

export interface ProbeOptions {
  /** The policy whose walls are tried, with one more directory to write in; default a small one. */
  policy?: (directory: string) => SandboxPolicy;
  /** Of the small policy; default `on`. */
  network?: NetworkAccess;
  /** Where the directory for it is made; default the system's. */
  tempDir?: string | undefined;
  /** Leaves namespaces out, as a system that refuses them does. */
  withoutNamespaces?: boolean;
}

export interface ProbedWalls {
  /** Undefined where no wall can be raised. */
  standing: StandingWalls | undefined;
  /** What is wrong although walls were raised, in one line. */
  problem?: string;
  /** The setting of the system that refuses namespaces, where one is known. */
  refusedBy?: string;
}

/** Writes where it may, then where it may not. */
const TRIAL = '(: > "$1/tried") || exit 3; (: > "$2") 2>/dev/null && exit 4; exit 0';
const NOT_WRITTEN = 3;
const WRITTEN_OUTSIDE = 4;
/** Nothing listens there: the probe only wants to know whether a list of hosts can be kept. */
const NO_PROXY = 9;

/** @throws when no directory can be made for it. */
export async function probeWalls(options: ProbeOptions = {}): Promise<ProbedWalls> {
  // Named like the private directory of a session, so that the next hermes removes it if need be.
  const root = await Deno.realPath(
    await Deno.makeTempDir({
      prefix: `hermes-env-${Deno.pid}-`,
      ...options.tempDir === undefined ? {} : { dir: options.tempDir },
    }),
  );
  try {
    return await probeIn(root, options);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function probeIn(root: string, options: ProbeOptions): Promise<ProbedWalls> {
  const places = {
    work: joinPath(root, "work"),
    outside: joinPath(root, "outside"),
    empty: joinPath(root, "empty"),
    none: joinPath(root, "none"),
  };
  for (const path of [places.work, places.outside, places.empty]) {
    await Deno.mkdir(path, { mode: 0o700 });
  }
  await Deno.writeTextFile(places.none, "", { mode: 0o400 });
  const policy = options.policy?.(places.work) ?? smallPolicy(places.work, options.network ?? "on");
  const walls = await raiseKernelWalls({
    policy,
    disk: new HostDisk(),
    empty: { directory: places.empty, file: places.none },
    kept: [],
    proxyPort: NO_PROXY,
    withoutNamespaces: options.withoutNamespaces,
  });
  if (walls === undefined) return { standing: undefined };
  try {
    const file = joinPath(places.outside, "tried");
    const problem = await tried(walls, { work: places.work, file, policy });
    const refusedBy = walls.standing.view === "none" ? await namespaceRefusal() : undefined;
    return {
      standing: walls.standing,
      ...problem === undefined ? {} : { problem },
      ...refusedBy === undefined ? {} : { refusedBy },
    };
  } finally {
    await walls.close();
  }
}

/** Nothing is hidden, one directory may be changed. */
function smallPolicy(directory: string, network: NetworkAccess): SandboxPolicy {
  return {
    mode: "workspace-write",
    network,
    workspace: [directory],
    writable: [],
    hidden: [],
    readable: [],
    env: {},
    limits: { processes: 0, memoryBytes: 0 },
    own: [],
  };
}

interface Trial {
  work: string;
  /** Where a command must not write. */
  file: string;
  policy: SandboxPolicy;
}

/** Runs a command behind the walls; what is wrong with them, or undefined. */
async function tried(walls: KernelWalls, { work, file, policy }: Trial) {
  try {
    const child = spawnChild({
      argv: [walls.launcher, "/bin/sh", "-c", TRIAL, "sh", work, file],
      env: onlyVariables({}),
      cwd: "/",
      group: "itself",
    });
    const { code } = await child.status;
    if (code === 0) return undefined;
    if (code === NOT_WRITTEN) return "a command could not write where it may";
    if (code !== WRITTEN_OUTSIDE) return `a command behind them did not start (code ${code})`;
    // Where temporary files belong to the work, there is nothing outside to be tried.
    const isOpen = !keepsFiles(walls.standing) || placeOf(policy, file) === "write";
    return isOpen ? undefined : "a command could write where it may not";
  } catch (error) {
    return `a command behind them did not start: ${reasonOf(error)}`;
  }
}

/** Settings that refuse namespaces to ordinary users, and the value that does. */
const REFUSING = [
  { name: "kernel.apparmor_restrict_unprivileged_userns", value: "1" },
  { name: "kernel.unprivileged_userns_clone", value: "0" },
  { name: "user.max_user_namespaces", value: "0" },
];

async function namespaceRefusal(): Promise<string | undefined> {
  for (const { name, value } of REFUSING) {
    const file = `/proc/sys/${name.replaceAll(".", "/")}`;
    const found = await Deno.readTextFile(file).catch(() => "");
    if (found.trim() === value) return `${name} = ${value}`;
  }
  return undefined;
}
