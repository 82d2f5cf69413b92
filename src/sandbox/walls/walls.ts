/**
 * Takes authority away from the own process, for good: resource limits, Landlock, seccomp and
 * Deno's permissions. Runs in the child only, before any line of a script is seen.
 */
import { compileFilter, type FilterProfile } from "./seccomp.ts";
import { makeImportHooks } from "./import_hooks.ts";
import { changedModules } from "./internals.ts";
import { type PathGrant, raiseLandlock } from "./landlock.ts";
import {
  addressOf,
  architecture,
  type Libc,
  readDescriptor,
  readThroughLibc,
} from "../../process/launcher/libc.ts";
import type { ProcessLimits, Wall } from "../child/contract.ts";

const SECCOMP_SET_MODE_FILTER = 1;
const SECCOMP_FLAG_TSYNC = 1;

/** Resource limits by number: the same order on x86_64 and aarch64. */
const RLIMIT = { cpu: 0, fileSize: 1, data: 2, stack: 3, core: 4, openFiles: 7 } as const;
/** The usual size; "unlimited" would be memory that no other limit counts. */
const STACK_BYTES = 8 * 1024 * 1024;

/** Until the second limit of CPU time: the first one's signal tells what it was. */
const CPU_GRACE_SECONDS = 1;

/** @throws when a limit cannot be set. `status` is the own status file, where it is open already. */
export function limitResources(
  libc: Libc,
  limits: ProcessLimits & { status?: number | undefined },
): void {
  const data = privateBytes(libc, limits.status) + limits.memoryBytes;
  limit(libc, RLIMIT.core, [0, 0]);
  limit(libc, RLIMIT.cpu, [limits.cpuSeconds, limits.cpuSeconds + CPU_GRACE_SECONDS]);
  limit(libc, RLIMIT.data, [data, data]);
  limit(libc, RLIMIT.stack, [STACK_BYTES, STACK_BYTES]);
  limit(libc, RLIMIT.fileSize, [limits.fileBytes, limits.fileBytes]);
  limit(libc, RLIMIT.openFiles, [limits.openFiles, limits.openFiles]);
}

/** Hermes itself may have been given less, and that cannot be raised. */
function limit(libc: Libc, resource: number, softAndHard: [number, number]): void {
  const values = new BigUint64Array(2);
  const bytes = new Uint8Array(values.buffer);
  const asked = libc.call("prlimit64", 0, resource, 0, bytes);
  const highest = values[1]!;
  softAndHard.forEach((value, i) => {
    values[i] = BigInt(value) < highest ? BigInt(value) : highest;
  });
  if (asked !== 0 || libc.call("prlimit64", 0, resource, bytes) !== 0) {
    throw new Error(`setrlimit ${resource} failed`);
  }
}

/** Private memory of this process as the kernel counts it: half a gigabyte of address space at rest. */
function privateBytes(libc: Libc, status: number | undefined): number {
  const text = status === undefined
    ? readThroughLibc(libc, "/proc/self/status")
    : readDescriptor(libc, status);
  const [, kilobytes] = /^VmData:\s*(\d+) kB/m.exec(text) ?? [];
  if (kilobytes === undefined) throw new Error("cannot read /proc/self/status");
  return Number(kilobytes) * 1024;
}

/** Filters the system calls of every thread. @throws when the kernel refuses. */
export function raiseSeccomp(libc: Libc, profile: FilterProfile): void {
  const filter = compileFilter(profile, { arch: architecture(), pid: Deno.pid });
  const program = new Uint8Array(16); // struct sock_fprog
  const view = new DataView(program.buffer);
  view.setUint16(0, filter.length / 8, true);
  view.setBigUint64(8, addressOf(filter), true);
  // Any other answer than 0 is the thread that could not be bound.
  if (libc.call("seccomp", SECCOMP_SET_MODE_FILTER, SECCOMP_FLAG_TSYNC, program) !== 0) {
    throw new Error("the kernel refused the seccomp filter");
  }
}

const PERMISSIONS = ["run", "ffi", "write", "env", "net", "sys", "import", "read"] as const;
/** Globals that need no permission and yet store, spawn or reach runtime internals. */
const GLOBALS = ["Worker", "caches", "localStorage", "sessionStorage"];

/** Revokes every Deno permission but the kinds to keep. @throws when one stays granted. */
export function revokePermissions(keep: readonly string[] = []): void {
  for (const name of PERMISSIONS.filter((one) => !keep.includes(one))) {
    const { state } = Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
    if (state === "granted") throw new Error(`permission ${name} could not be revoked`);
  }
  for (const name of GLOBALS) Reflect.deleteProperty(globalThis, name);
  // Drivers are opened without a permission, and work beyond the limits of memory.
  Reflect.deleteProperty(Object.getPrototypeOf(navigator), "gpu");
  const { internal } = Deno as unknown as { internal: symbol };
  Reflect.deleteProperty(Deno, internal);
}

/**
 * Refuses every import but `data:`, `blob:` and built-in modules. For builds whose loader checks
 * no permission and holds the agent's own modules in memory; loading the hooks takes 15 ms.
 */
export async function refuseImports(): Promise<void> {
  const { registerHooks } = await import("node:module");
  registerHooks(makeImportHooks({ who: "script", changed: changedModules() }));
}

export interface WallOptions {
  profile: FilterProfile;
  grants: readonly PathGrant[];
  /** Walls left down, for the tests that prove the others. */
  without: readonly Wall[];
}

/** Raises the kernel's walls and returns those that stand; a kernel without one of them is no error. */
export function raiseKernelWalls(libc: Libc, options: WallOptions): Wall[] {
  const standing: Wall[] = [];
  if (
    !options.without.includes("landlock") &&
    tryWall(() => raiseLandlock(libc, options.grants))
  ) {
    standing.push("landlock");
  }
  if (!options.without.includes("seccomp") && tryWall(() => raiseSeccomp(libc, options.profile))) {
    standing.push("seccomp");
  }
  return standing;
}

/** False where the kernel lacks the wall. */
export function tryWall(raise: () => void): boolean {
  try {
    raise();
    return true;
  } catch {
    // The parent decides whether the walls that stand are enough; it is told which do.
    return false;
  }
}
