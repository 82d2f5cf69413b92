/**
 * Starts a program behind Landlock. It binds one thread and what that thread executes, so it is
 * raised before the program begins, by a launcher that the program then takes the place of: all
 * threads are born inside. Linux only.
 */
import { onlyVariables } from "../../process/child_environment.ts";
import { spawnChild } from "../../process/spawn.ts";
import type { SelfCommand } from "../../util/runtime.ts";
import type { Wall } from "../child/contract.ts";
import { type LandlockGrants, landlockSteps, landlockVersion, type PathGrant } from "./landlock.ts";
import { memoryFile } from "../../process/launcher/launcher.ts";
import { launcherImage, must, type Step } from "../../process/launcher/launcher_image.ts";
import {
  architecture,
  AT_FDCWD,
  cString,
  type Libc,
  openLibc,
} from "../../process/launcher/libc.ts";
import { privilegeSteps } from "./drop_privileges.ts";

export interface Launch extends SelfCommand {
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Where the launcher is put when the kernel executes nothing from memory. */
  directory: string;
  grants: LandlockGrants;
  without: readonly Wall[];
}

export interface Launched {
  process: Deno.ChildProcess;
  /** The walls that stand before it starts. */
  standing: Wall[];
  /** Its own `/proc/self/status`, held open where Landlock keeps it from opening it. */
  statusDescriptor?: number;
}

/** The first descriptor behind the standard ones. */
const STATUS_DESCRIPTOR = 3;
const LAST_DESCRIPTOR = 0xffff_ffff;

/** @throws when it cannot be started; what fails later is its last line on standard error. */
export function launch(what: Launch): Launched {
  const libc = openLibc();
  try {
    const version = what.without.includes("landlock") ? 0 : landlockVersion(libc);
    const image = launcherImage(launchSteps(what, version), architecture());
    const process = execute(libc, image, what);
    if (version === 0) return { process, standing: [] };
    return { process, standing: ["landlock"], statusDescriptor: STATUS_DESCRIPTOR };
  } finally {
    libc.close();
  }
}

function launchSteps(what: Launch, version: number): Step[] {
  const strings = [what.command, ...what.args].map(cString);
  const variables = Object.entries(what.env).map(([name, value]) => cString(`${name}=${value}`));
  const walls = version === 0 ? [] : [
    must("openat", AT_FDCWD, cString("/proc/self/status"), 0),
    ...landlockSteps({
      ...what.grants,
      paths: [...runtimeGrants(what.command), ...what.grants.paths],
    }, {
      version,
      nextDescriptor: STATUS_DESCRIPTOR + 1,
    }),
  ];
  const closeOthers = must("close_range", STATUS_DESCRIPTOR, LAST_DESCRIPTOR, 0);
  return [
    must("setsid"),
    // Rules are made for numbers: one that is taken could stand for a directory of another process.
    version === 0 ? { ...closeOthers, orElse: { skip: 0 } } : closeOthers,
    ...privilegeSteps(),
    ...walls,
    must("execve", strings[0]!, strings, variables),
  ];
}

/** The files this process is made of: another of the same runtime is made of the same. */
function runtimeGrants(command: string): PathGrant[] {
  const lines = Deno.readTextFileSync("/proc/self/maps").split("\n");
  // Executable only: databases are mapped too. A file that was replaced is marked as deleted.
  const mapped = lines.flatMap((line) =>
    /^\S+ r-x\S* .*?\s(\/.*?)( \(deleted\))?$/.exec(line)?.[1] ?? []
  );
  return [
    // The loader and the program are executed, libraries only read; `run` holds both.
    ...[...new Set([command, ...mapped])].map((path): PathGrant => ({ path, access: "run" })),
    { path: "/etc/ld.so.cache", access: "read" },
    { path: "/etc/localtime", access: "read" },
    { path: "/usr/share/zoneinfo", access: "tree" },
    { path: "/dev/null", access: "sink" },
  ];
}

/** From memory, where no mount option is in the way; else from a private file. */
function execute(libc: Libc, image: Uint8Array<ArrayBuffer>, what: Launch): Deno.ChildProcess {
  const descriptor = memoryFile(libc, image);
  try {
    return spawn(`/proc/self/fd/${descriptor}`, what);
  } catch {
    const path = `${what.directory}/launch`;
    Deno.writeFileSync(path, image, { mode: 0o700 });
    return spawn(path, what);
  } finally {
    libc.call("close", descriptor);
  }
}

/** The launcher makes the session itself, and hands the program its environment. */
function spawn(launcher: string, { cwd }: Launch): Deno.ChildProcess {
  return spawnChild({
    argv: [launcher],
    env: onlyVariables({}),
    cwd,
    group: "itself",
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
}
