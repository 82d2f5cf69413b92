/**
 * Commands behind the kernel's walls of a policy, in this process or in one of another user: read
 * from standard input as a task and printed, when this is the program itself.
 */
import { onlyVariables } from "../../../process/child_environment.ts";
import { spawnChild } from "../../../process/spawn.ts";
import type { NetworkAccess, SandboxLimits, SandboxPolicy } from "../../../protocol/sandbox.ts";
import { HostDisk } from "../disk.ts";
import { type KernelWalls, raiseKernelWalls } from "../kernel_walls.ts";
import { sandboxPolicy } from "../policy.ts";
import type { StandingWalls } from "../standing.ts";

export interface WalledTask {
  /** A directory of the test's own, which holds a home `home` and in it the work `project`. */
  root: string;
  commands: readonly string[];
  mode?: SandboxPolicy["mode"];
  network?: NetworkAccess;
  proxyPort?: number;
  limits?: SandboxLimits;
  withoutNamespaces?: boolean;
  env?: Record<string, string>;
}

export interface Walled {
  standing: StandingWalls;
  /** Both streams of each command. */
  outputs: string[];
}

export function policyOf({ root, mode = "workspace-write", network, limits }: WalledTask) {
  const home = `${root}/home`;
  const policy = sandboxPolicy({
    mode,
    ...network === undefined ? {} : { network },
    cwd: `${home}/project`,
    home,
    places: { homes: [home], hermesHomes: [`${home}/.hermes`], trustedBase: [] },
    env: {},
    settings: { writable: [], hidden: [], caches: "off", passEnv: [] },
    own: { writable: [`${root}/own/tmp`] },
    disk: new HostDisk(),
  });
  return limits === undefined ? policy : { ...policy, limits };
}

/** Walls around commands in `root`, which gets what they need. */
export async function raiseAt(task: WalledTask): Promise<KernelWalls | undefined> {
  const { root, proxyPort, withoutNamespaces = false } = task;
  for (const name of ["tmp", "empty"]) await Deno.mkdir(`${root}/own/${name}`, { recursive: true });
  await Deno.writeTextFile(`${root}/own/none`, "");
  return await raiseKernelWalls({
    policy: policyOf(task),
    disk: new HostDisk(),
    empty: { directory: `${root}/own/empty`, file: `${root}/own/none` },
    kept: [`${root}/home/project/.git/hooks`],
    proxyPort,
    withoutNamespaces,
  });
}

/** What one command behind the walls says. */
export async function runBehind(
  launcher: string,
  command: string,
  { root, env = {} }: Pick<WalledTask, "root" | "env">,
): Promise<string> {
  const child = spawnChild({
    argv: ["/bin/sh", "-c", `exec 2>&1; cd ${root}/home/project && ${command}`],
    env: onlyVariables({
      PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      HOME: `${root}/home`,
      TMPDIR: `${root}/own/tmp`,
      ...env,
    }),
    cwd: "/",
    group: "session",
    launcher,
    stdout: "piped",
  });
  const output = await new Response(child.stdout).text();
  await child.status;
  return output;
}

export async function runWalled(task: WalledTask): Promise<Walled> {
  const walls = await raiseAt(task);
  if (walls === undefined) throw new Error("no wall could be raised");
  try {
    const outputs: string[] = [];
    for (const command of task.commands) {
      outputs.push(await runBehind(walls.launcher, command, task));
    }
    return { standing: walls.standing, outputs };
  } finally {
    await walls.close();
  }
}

if (import.meta.main) {
  const task: WalledTask = JSON.parse(await new Response(Deno.stdin.readable).text());
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(await runWalled(task))));
}
