/** What a parent tells its child process: the walls round it, the way it is started, what it boots with. */
import type { PathGrant, PortGrant } from "../walls/landlock.ts";

/**
 * What keeps a script in: Deno's permissions, the kernel's path rules, the kernel's call filter, and
 * that the internals under Node's modules are out of reach.
 */
export type Wall = "permissions" | "landlock" | "seccomp" | "internals";

/** `deno`: a bare `deno run` of the bootstrap. `reexec`: `hermes __sandbox`, the only way of a compiled build. */
export type ChildMode = "deno" | "reexec";

/** Deno's permissions of a plugin, each as the list its flag takes. */
export interface GuestPermissions {
  read: string[];
  write: string[];
  net: string[];
  env: string[];
  run: string[];
}

export interface GuestBoot {
  /** `data:` URL of the trusted module that loads the plugin. */
  module: string;
  permissions: GuestPermissions;
  /** `file:` URLs below this one may be imported. */
  modulesUrl: string;
  /** What the kernel lets it connect to; follows from the permissions. */
  ports: PortGrant;
}

export interface ProcessLimits {
  /** Bytes of private memory beyond what the process has already. */
  memoryBytes: number;
  cpuSeconds: number;
  fileBytes: number;
  openFiles: number;
}

/** What the parent writes to the child's standard input, as one line of JSON. */
export interface BootSpec {
  socket: string;
  token: string;
  parentPid: number;
  limits: ProcessLimits;
  /** Walls left down, for tests. */
  without: Wall[];
  /** The runtime checks imports against permissions; false in a re-executed hermes. */
  checksImports: boolean;
  /** Present for Python: the interpreter, its program and the paths it needs. */
  python?: { executable: string; prelude: string; scratch: string; grants: PathGrant[] };
  /** Present for a plugin. */
  guest?: GuestBoot;
  /** The walls that stand before it starts. */
  standing?: Wall[];
  /** Its own `/proc/self/status`, held open where Landlock keeps it from opening it. */
  statusDescriptor?: number;
}
