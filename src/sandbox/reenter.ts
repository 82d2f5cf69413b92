/**
 * The first stage of a plugin's process. Landlock binds one thread, and the runtime has started
 * others before any line of ours: so the process walls itself in and executes the runtime anew,
 * whose threads are then all born inside.
 */
import type { BootSpec } from "./child_main.ts";
import type { Wall } from "./contract.ts";
import { type PathGrant, type PortGrant, raiseLandlock } from "./landlock.ts";
import { cString, type Libc, openLibc, pointerArray, readThroughLibc } from "./libc.ts";
import { limitResources, surrender, tryWall } from "./walls.ts";

export interface Reentry {
  command: string;
  args: string[];
  /** The whole environment of the second stage. */
  env: Record<string, string>;
  paths: PathGrant[];
  ports: PortGrant;
}

/** What fits into a pipe that nobody reads yet. */
const PIPE_BYTES = 64 * 1024;

/** Executes the second stage, which finds its boot line on standard input. Returns only by throwing. */
export function reenter(boot: BootSpec, next: Reentry): never {
  const libc = openLibc();
  const paths = [...runtimeGrants(libc), ...next.paths];
  surrender(libc, boot.parentPid);
  limitResources(libc, boot.limits);
  const strings = [next.command, ...next.args].map(cString);
  const variables = Object.entries(next.env).map(([name, value]) => cString(`${name}=${value}`));
  const { reentry: _, ...rest } = boot;
  const walled = !boot.without.includes("landlock") &&
    tryWall(() => raiseLandlock(libc, { paths, ports: next.ports }));
  const standing: Wall[] = walled ? ["landlock"] : [];
  feedStdin(libc, `${JSON.stringify({ ...rest, standing })}\n`);
  libc.call("execve", strings[0]!, pointerArray(strings), pointerArray(variables));
  throw new Error(`cannot execute ${next.command}`);
}

/** The files this process is made of: the second stage is made of the same. */
function runtimeGrants(libc: Libc): PathGrant[] {
  const lines = readThroughLibc(libc, "/proc/self/maps").split("\n");
  const files = new Set(lines.flatMap((line) => /\s(\/.*)$/.exec(line)?.[1] ?? []));
  return [
    // The loader and the program are executed, libraries only read; `run` holds both.
    ...[...files].map((path): PathGrant => ({ path, access: "run" })),
    { path: "/etc/ld.so.cache", access: "read" },
    { path: "/etc/localtime", access: "read" },
    { path: "/usr/share/zoneinfo", access: "tree" },
    { path: "/dev/null", access: "sink" },
  ];
}

function feedStdin(libc: Libc, text: string): void {
  const line = cString(text);
  if (line.length > PIPE_BYTES) throw new Error("the boot line is too long");
  const ends = new Int32Array(2);
  const opened = libc.call("pipe2", new Uint8Array(ends.buffer), 0) === 0;
  const [readEnd, writeEnd] = [ends[0]!, ends[1]!];
  if (!opened || libc.call("write", writeEnd, line, line.length - 1) < 0) {
    throw new Error("cannot hand the boot line on");
  }
  libc.call("dup3", readEnd, 0, 0);
  libc.call("close", readEnd);
  libc.call("close", writeEnd);
}
