/**
 * How a child is started in each build, as data: the program, its arguments and the
 * permissions it begins with. The bootstrap gives those up again; spawning is done elsewhere.
 */
import { UsageError } from "../../protocol/error.ts";
import { isWithin } from "../../util/path.ts";
import {
  DENO_SETTINGS,
  executablePath,
  isStandalone,
  portableRoot,
  type SelfCommand,
  selfCommand,
} from "../../util/runtime.ts";
import type { ChildProgram, ProgramName } from "./child_program.ts";
import type { ChildMode, GuestPermissions, Wall } from "./contract.ts";
import { internalsImportMap } from "../walls/internals.ts";
import type { PathGrant } from "../walls/landlock.ts";

export interface ChildCommandOptions {
  mode: ChildMode;
  /** The module the child begins with. */
  program: string;
  socket: string;
  heapMb: number;
  without: readonly Wall[];
}

/** Refuses everything that would fetch, read configuration or run what another process compiled. */
const UNCONFIGURED = [
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  "--cached-only",
  "--no-code-cache",
];
const STRICT = ["--quiet", "--no-prompt", ...UNCONFIGURED, "--deny-import"];

/**
 * How every Deno that meets foreign code is set up. Its cache can be nowhere: the runtime keeps
 * the files of its caches open and later processes trust them, so a script that got hold of one
 * could say what the next child runs.
 */
export const CHILD_ENV: Readonly<Record<string, string>> = {
  ...DENO_SETTINGS,
  DENO_DIR: "/dev/null/deno",
};

/** What a child of this mode begins with. */
export function programName(mode: ChildMode): ProgramName {
  return mode === "reexec" ? "main" : "child_main";
}

/** Where a Deno of the person's own keeps modules, as the environment tells; undefined when it does not. */
export function runtimeCacheDir(env: Readonly<Record<string, string>>): string | undefined {
  if (env.DENO_DIR) return env.DENO_DIR;
  if (Deno.build.os === "darwin") return env.HOME && `${env.HOME}/Library/Caches/deno`;
  if (env.XDG_CACHE_HOME) return `${env.XDG_CACHE_HOME}/deno`;
  return env.HOME && `${env.HOME}/.cache/deno`;
}

/** What `HERMES_SANDBOX_MODE` asks for. @throws {UsageError} when it is no mode. */
export function parseChildMode(value: string | undefined): ChildMode | undefined {
  if (value === undefined || value === "") return undefined;
  if (value === "deno" || value === "reexec") return value;
  throw new UsageError(`HERMES_SANDBOX_MODE is "${value}": set it to "deno" or "reexec"`);
}

/** The mode that fits this build. */
export function defaultMode(): ChildMode {
  return isStandalone() ? "reexec" : "deno";
}

export function childCommand(options: ChildCommandOptions): SelfCommand {
  const heap = heapFlag(options.heapMb);
  if (options.mode === "reexec") return reexecCommand(options.program, [heap]);
  const { socket, program } = options;
  const grants = options.without.includes("permissions") ? ["--allow-all"] : [
    "--allow-ffi",
    ...allow("read", [socket]),
    ...allow("write", [socket]),
    ...allow("net", [`unix:${socket}`]),
  ];
  const strict = options.without.includes("permissions")
    ? STRICT.filter((flag) => flag !== "--deny-import")
    : STRICT;
  return {
    command: executablePath(),
    args: ["run", ...strict, ...importMap(options), heap, ...grants, program],
  };
}

/** What leads a child's imports of built-in modules past `../walls/internals.ts`. */
function importMap({ without }: ChildCommandOptions): string[] {
  return without.includes("internals") ? [] : [`--import-map=${internalsImportMap()}`];
}

/** Flags that grant a list. Each path has its own, because the kernel limits an argument's length; a comma in it is doubled. */
function allow(kind: string, list: readonly string[]): string[] {
  if (kind === "read" || kind === "write") {
    return list.map((path) => `--allow-${kind}=${path.replaceAll(",", ",,")}`);
  }
  // Without a list a flag would grant everything.
  return list.length === 0 ? [] : [`--allow-${kind}=${list.join(",")}`];
}

function heapFlag(heapMb: number): string {
  return `--v8-flags=--max-old-space-size=${heapMb}`;
}

/** Hermes again. A compiled one takes no flags: its heap is bounded by the memory limit alone. */
function reexecCommand(program: string, flags: readonly string[]): SelfCommand {
  const self = selfCommand(["__sandbox"], program);
  if (isStandalone()) return self;
  // The portable build starts hermes with some of them already; Deno takes none twice.
  const missing = UNCONFIGURED.filter((flag) => !self.args.includes(flag));
  return { ...self, args: self.args.toSpliced(1, 0, ...missing, ...flags) };
}

/** A plugin's process: begins with what the plugin may do, and the way to its parent. */
export function guestCommand(
  options: ChildCommandOptions & { permissions: GuestPermissions },
): SelfCommand {
  const { socket, permissions, program } = options;
  const heap = heapFlag(options.heapMb);
  if (options.mode === "reexec") {
    return reexecCommand(program, [heap, "--unstable-worker-options"]);
  }
  if (options.without.includes("permissions")) return childCommand(options);
  const lists = {
    ...permissions,
    read: [socket, ...permissions.read],
    write: [socket, ...permissions.write],
    net: [`unix:${socket}`, ...permissions.net],
  };
  const grants = Object.entries(lists).flatMap(([kind, list]) => allow(kind, list));
  return {
    command: executablePath(),
    args: ["run", ...STRICT, ...importMap(options), heap, "--allow-ffi", ...grants, program],
  };
}

/** The process of `../script/type_stripper.ts`: it may do nothing. */
export function stripperCommand(program: string | undefined): SelfCommand {
  if (program === undefined) return selfCommand(["__strip"]);
  return { command: executablePath(), args: ["run", ...STRICT, program] };
}

/** What of this build a plugin's process is made of; a compiled one holds everything itself. */
export function programGrants({ path }: ChildProgram): PathGrant[] {
  if (isStandalone()) return [];
  return [{ path, access: Deno.statSync(path).isDirectory ? "tree" : "read" }];
}

/** Rights that change what they are given for. */
const WRITING: readonly PathGrant["access"][] = ["work", "sink", "tree-work", "file-work"];

/**
 * Makes sure that a plugin cannot write where hermes itself is loaded from, whatever it was granted:
 * `root` holds the program and the code that the runtime has compiled of it.
 * @throws when it could.
 */
export function refuseProgramWrites(
  grants: readonly PathGrant[],
  root: string | undefined = portableRoot(),
): void {
  if (root === undefined) return;
  const real = Deno.realPathSync(root);
  const bad = grants.find(({ path, access }) =>
    WRITING.includes(access) &&
    [root, real].some((one) => isWithin(path, one) || isWithin(one, path))
  );
  if (bad !== undefined) throw new Error(`"${bad.path}" holds the program of hermes itself`);
}
