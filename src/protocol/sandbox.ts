/**
 * The walls around commands on this machine, as data: which mode, which network, which places.
 * Made once for a session; the kernel's walls, the file tools and what people read come of it.
 */
import type { Grant, WallGrantKind } from "./grant.ts";

/** `read-only` changes nothing, `workspace-write` changes the work alone, `off` has no walls. */
export const SANDBOX_MODES = ["read-only", "workspace-write", "off"] as const;

export type SandboxMode = typeof SANDBOX_MODES[number];

/** What commands reach: everything, nothing, this machine, or these hosts through the proxy. */
export type NetworkAccess = "on" | "off" | "loopback" | { readonly hosts: readonly string[] };

/** Where package managers keep what they fetched: own to the project, the person's, or nowhere. */
export const CACHE_MODES = ["private", "shared", "off"] as const;

export type CacheMode = typeof CACHE_MODES[number];

/**
 * Everything that decides about a command behind the walls. Paths are absolute and real. The
 * deepest place that holds a path decides about it; what nothing holds may be read.
 */
export interface SandboxPolicy {
  readonly mode: Exclude<SandboxMode, "off">;
  readonly network: NetworkAccess;
  /** Directories of the work. Commands change them in `workspace-write`. */
  readonly workspace: readonly string[];
  /** What else may be changed: caches, the private temporary directory, what a person granted. */
  readonly writable: readonly string[];
  /** Neither read nor changed, whatever holds them. */
  readonly hidden: readonly string[];
  /** Read although something hidden holds them; not changed although something writable does. */
  readonly readable: readonly string[];
  /** Variables that commands get: where caches are, how git is kept from running hooks. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /** Directories that hermes makes before the first command, for its owner alone. */
  readonly own: readonly string[];
}

export interface SandboxLimits {
  /** Processes and threads of the user at most; 0 is the system's own limit. */
  readonly processes: number;
  /** Private memory of one process at most, in bytes; 0 is no limit. */
  readonly memoryBytes: number;
}

/** A yes to more than the walls allow: as narrow as the question that was answered. */
export type SandboxGrant = Grant & { readonly kind: WallGrantKind | "command" };

/** The walls that an environment starts its commands behind. */
export interface CommandWalls {
  /**
   * Where the environment makes its own directory: `preferred`, unless commands could change what
   * is in there, and with it what hermes runs outside the walls.
   */
  privateParent?(preferred: string): Promise<string>;
  /**
   * Stands before it resolves. `directory` is the environment's own; what commands may do with its
   * parts says `privatePlaces()`.
   * Undefined where commands run without walls now. @throws EnvironmentError when walls are
   * required and cannot be raised.
   */
  raise(directory: string): Promise<RaisedWalls | undefined>;
  close(): Promise<void>;
}

/** Another object whenever the walls have changed: what was started behind the old ones goes. */
export interface RaisedWalls {
  /** The program that puts itself behind the walls and becomes what its arguments name. */
  readonly launcher: string;
  /** What makes a terminal that commands find; undefined where they find those of the system. */
  readonly terminals?: string | undefined;
  /** Variables that commands get. */
  readonly env: Readonly<Record<string, string>>;
  /** A command is about to start. */
  begin(): void;
  /**
   * A command has ended, or could not be started: what it was kept from, and what it changed and
   * was put back. `cwd` is where it began.
   */
  end(end: { exitCode: number; output: string; cwd: string }): readonly string[];
}
