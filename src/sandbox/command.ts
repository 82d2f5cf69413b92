/**
 * How a child is started in each build, as data: the program, its arguments and the
 * permissions it begins with. The bootstrap gives those up again; spawning is done elsewhere.
 */
import { UsageError } from "../protocol/error.ts";
import { dirname } from "../util/path.ts";
import {
  childCacheDir,
  executablePath,
  isStandalone,
  type SelfCommand,
  selfCommand,
} from "../util/runtime.ts";
import type { ChildMode, Wall } from "./contract.ts";
import type { GuestPermissions } from "./guest_host.ts";
import type { PathGrant } from "./landlock.ts";

export interface ChildCommandOptions {
  mode: ChildMode;
  socket: string;
  heapMb: number;
  without: readonly Wall[];
}

/** Refuses everything that would fetch or read configuration. */
const UNCONFIGURED = ["--no-config", "--no-lock", "--no-remote", "--no-npm", "--cached-only"];
const STRICT = ["--quiet", "--no-prompt", ...UNCONFIGURED, "--deny-import"];

/** Whether the bootstrap is TypeScript, which the runtime translates at first. */
export function isSource(): boolean {
  return import.meta.url.endsWith("/src/sandbox/command.ts");
}

/** Where a child begins: a file of its own, beside the others of this build. */
function bootstrap(name: "child_main" | "strip_main"): string {
  if (isSource()) return new URL(`./${name}.ts`, import.meta.url).href;
  return new URL(`./${name}.js`, Deno.mainModule).href;
}

function pathOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname);
}

/** Where the runtime keeps compiled modules: the build or the environment of hermes tells; undefined when neither does. */
export function runtimeCacheDir(env: Readonly<Record<string, string>>): string | undefined {
  const own = childCacheDir();
  if (own !== undefined) return own;
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
  if (options.mode === "reexec") return reexecCommand([heap]);
  const { socket } = options;
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
    args: ["run", ...strict, heap, ...grants, bootstrap("child_main")],
  };
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
function reexecCommand(flags: readonly string[]): SelfCommand {
  const self = selfCommand(["__sandbox"]);
  if (isStandalone()) return self;
  // The portable build starts hermes with some of them already; Deno takes none twice.
  const missing = UNCONFIGURED.filter((flag) => !self.args.includes(flag));
  return { ...self, args: self.args.toSpliced(1, 0, ...missing, ...flags) };
}

/** A plugin's process: begins with what the plugin may do, and the way to its parent. */
export function guestCommand(
  options: ChildCommandOptions & { permissions: GuestPermissions },
): SelfCommand {
  const { socket, permissions } = options;
  const heap = heapFlag(options.heapMb);
  if (options.mode === "reexec") return reexecCommand([heap, "--unstable-worker-options"]);
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
    // Behind Landlock the cache of compiled code cannot be opened, and trying takes 5 ms.
    args: ["run", "--no-code-cache", ...STRICT, heap, "--allow-ffi", ...grants].concat(
      bootstrap("child_main"),
    ),
  };
}

/** The process of `type_stripper.ts`: it may do nothing. */
export function stripperCommand(): SelfCommand & { env: Record<string, string> } {
  const cache = childCacheDir();
  const env: Record<string, string> = cache === undefined ? {} : { DENO_DIR: cache };
  if (isStandalone()) return { ...selfCommand(["__strip"]), env };
  return { command: executablePath(), args: ["run", ...STRICT, bootstrap("strip_main")], env };
}

/** What of this build a plugin's process is made of. */
export function bootstrapGrants(mode: ChildMode): PathGrant[] {
  if (isStandalone()) return [];
  if (!isSource()) {
    return mode === "deno"
      ? [{ path: pathOf(bootstrap("child_main")), access: "read" }]
      : [{ path: dirname(pathOf(Deno.mainModule)), access: "tree" }];
  }
  const folder = dirname(pathOf(import.meta.url));
  if (mode === "deno") return [{ path: folder, access: "tree" }];
  const root = dirname(dirname(folder));
  return [
    { path: dirname(folder), access: "tree" },
    { path: `${root}/main.ts`, access: "read" },
  ];
}
