/**
 * Takes authority away from the own process, for good: resource limits, Landlock, seccomp and
 * Deno's permissions. Runs in the child only, before any line of a script is seen.
 */
import { type Arch, compileFilter, type FilterProfile } from "./seccomp.ts";
import { type PathGrant, raiseLandlock } from "./landlock.ts";
import { addressOf, type Libc, readThroughLibc } from "./libc.ts";
import type { Wall } from "./contract.ts";

const PR_SET_PDEATHSIG = 1;
const PR_SET_DUMPABLE = 4;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9n;
const CAPSET = { x86_64: 126n, aarch64: 91n } as const;
const SECCOMP = { x86_64: 317n, aarch64: 277n } as const;
const SECCOMP_SET_MODE_FILTER = 1n;
const SECCOMP_FLAG_TSYNC = 1n;
const F_GETFD = 1;
const MAX_DESCRIPTORS = 4096;
const CAPABILITY_VERSION_3 = 0x20080522;

/** Resource limits by number: the same order on x86_64 and aarch64. */
const RLIMIT = { cpu: 0, fileSize: 1, data: 2, core: 4, openFiles: 7 } as const;

export interface ProcessLimits {
  /** Bytes of private memory beyond what the process has already. */
  memoryBytes: number;
  cpuSeconds: number;
  fileBytes: number;
  openFiles: number;
}

/** Ties the life of this process to its parent's and gives up every capability. */
export function surrender(libc: Libc, parentPid: number): void {
  libc.call.prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n);
  if (libc.call.getppid() !== parentPid) throw new Error("the parent is gone");
  libc.call.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n);
  const header = new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer);
  libc.call.syscallBuffers(CAPSET[Deno.build.arch as Arch], header, new Uint8Array(24));
  if (libc.call.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) {
    throw new Error("no-new-privs was refused");
  }
}

/**
 * Closes what hermes was started with: the runtime marks its own descriptors close-on-exec, so
 * one without the mark came from outside, and a script could adopt it as a socket.
 */
export function dropInherited(libc: Libc): void {
  for (let descriptor = 3; descriptor < MAX_DESCRIPTORS; descriptor++) {
    if (libc.call.fcntl(descriptor, F_GETFD, 0) === 0) libc.call.close(descriptor);
  }
}

/** @throws when a limit cannot be set. */
export function limitResources(libc: Libc, limits: ProcessLimits): void {
  const wanted: [number, number][] = [
    [RLIMIT.core, 0],
    [RLIMIT.cpu, limits.cpuSeconds],
    [RLIMIT.data, privateBytes(libc) + limits.memoryBytes],
    [RLIMIT.fileSize, limits.fileBytes],
    [RLIMIT.openFiles, limits.openFiles],
  ];
  for (const [resource, value] of wanted) {
    const both = new BigUint64Array([BigInt(value), BigInt(value)]);
    if (libc.call.setrlimit(resource, new Uint8Array(both.buffer)) !== 0) {
      throw new Error(`setrlimit ${resource} failed`);
    }
  }
}

/** Private memory of this process as the kernel counts it: half a gigabyte of address space at rest. */
function privateBytes(libc: Libc): number {
  const pages = Number(readThroughLibc(libc, "/proc/self/statm").split(" ")[5]);
  if (!(pages > 0)) throw new Error("cannot read /proc/self/statm");
  return pages * libc.call.getpagesize();
}

/** Filters the system calls of every thread. @throws when the kernel refuses. */
export function raiseSeccomp(libc: Libc, profile: FilterProfile): void {
  const arch = Deno.build.arch as Arch;
  const filter = compileFilter(profile, { arch, pid: Deno.pid });
  const program = new Uint8Array(16); // struct sock_fprog
  const view = new DataView(program.buffer);
  view.setUint16(0, filter.length / 8, true);
  view.setBigUint64(8, addressOf(filter), true);
  const result = libc.call.syscallThird(
    SECCOMP[arch],
    SECCOMP_SET_MODE_FILTER,
    SECCOMP_FLAG_TSYNC,
    program,
    BigInt(filter.length), // keeps `filter` alive past the call
  );
  if (result !== 0n) throw new Error("the kernel refused the seccomp filter");
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
  const { internal } = Deno as unknown as { internal: symbol };
  Reflect.deleteProperty(Deno, internal);
}

/**
 * Refuses every import but `data:`, `blob:` and built-in modules. For builds whose loader checks
 * no permission and holds the agent's own modules in memory; loading the hooks takes 15 ms.
 */
export async function refuseImports(): Promise<void> {
  const { registerHooks } = await import("node:module");
  const check = <T>(url: string, go: () => T): T => {
    if (/^(data|blob|node):/.test(url)) return go();
    throw new TypeError(`Cannot import ${url}: a script has no modules but its own`);
  };
  registerHooks({
    resolve: (specifier, context, next) => check(specifier, () => next(specifier, context)),
    load: (url, context, next) => check(url, () => next(url, context)),
  });
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
    tryWall(() => raiseLandlock(libc, { paths: options.grants }))
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
