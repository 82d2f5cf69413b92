/**
 * Which walls this machine can raise and which languages may run behind them. Looks at the
 * machine without starting a process: a schema is built from the answer.
 */
import type { LanguageSupport, SandboxAvailability } from "../protocol/script.ts";
import type { ChildMode, Wall } from "./child/contract.ts";
import { defaultMode } from "./child/child_command.ts";
import { landlockVersion } from "./walls/landlock.ts";
import { openLibc } from "../process/launcher/libc.ts";
import { findPython } from "./script/python.ts";

const PR_GET_SECCOMP = 21;

/** The walls the kernel offers. */
export function kernelWalls(): Wall[] {
  if (Deno.build.os !== "linux") return [];
  try {
    const libc = openLibc();
    const walls: Wall[] = [];
    if (landlockVersion(libc) > 0) walls.push("landlock");
    if (libc.call("prctl", PR_GET_SECCOMP) >= 0) walls.push("seccomp");
    libc.close();
    return walls;
  } catch {
    // No glibc: nothing can be called, so nothing can be raised.
    return [];
  }
}

/**
 * Why the standing walls do not suffice, or undefined. Only `deno run` checks every import
 * against permissions; a compiled build checks none, and only seccomp binds all its threads.
 */
export function scriptGap(mode: ChildMode, walls: readonly Wall[]): string | undefined {
  if (walls.includes("seccomp")) return undefined;
  if (mode === "deno" && walls.includes("permissions")) return undefined;
  return "execute_code needs a Linux kernel with seccomp in this build";
}

/** The same for Python, which has no permissions of its own. */
export function pythonGap(walls: readonly Wall[]): string | undefined {
  const missing = (["landlock", "seccomp"] as const).filter((wall) => !walls.includes(wall));
  if (missing.length === 0) return undefined;
  return `Python scripts need a Linux kernel with ${missing.join(" and ")}`;
}

/**
 * The same for a plugin. Programs it starts know no permissions of Deno's; a compiled build
 * keeps no import from a file without the kernel.
 */
export function pluginGap(
  mode: ChildMode,
  { walls, runs }: { walls: readonly Wall[]; runs: boolean },
): string | undefined {
  if (mode === "deno" && !runs && walls.includes("permissions")) return undefined;
  const missing = (["landlock", "seccomp"] as const).filter((wall) => !walls.includes(wall));
  if (missing.length === 0) return undefined;
  const who = runs ? "a plugin that starts programs" : "a plugin in this build";
  return `${who} needs a Linux kernel with ${missing.join(" and ")}`;
}

export interface Findings extends SandboxAvailability {
  /** The Python interpreter, when Python can run. */
  executable?: string;
}

export interface ProbeOptions {
  /** The `PATH` that Python is looked for on. */
  searchPath: string;
  mode?: ChildMode;
  without?: readonly Wall[];
}

/** What can run here. */
export function probeSandbox(options: ProbeOptions): Findings {
  const { mode = defaultMode(), without = [] } = options;
  if (Deno.build.os === "windows") {
    const reason = "execute_code needs Unix sockets; use normal tool calls instead";
    return { script: no(reason), python: no(reason) };
  }
  const walls = (["permissions", ...kernelWalls()] as Wall[])
    .filter((wall) => !without.includes(wall));
  const gap = scriptGap(mode, walls);
  const script = gap === undefined ? yes() : no(gap);
  const wallGap = pythonGap(walls);
  if (wallGap !== undefined) return { script, python: no(wallGap) };
  const executable = findPython(options.searchPath);
  if (executable === undefined) return { script, python: no("no python3 executable on PATH") };
  return { script, python: yes(), executable };
}

function yes(): LanguageSupport {
  return { available: true, reason: "" };
}

function no(reason: string): LanguageSupport {
  return { available: false, reason };
}
