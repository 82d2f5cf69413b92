/**
 * The walls around commands on this machine, as data: which mode, which network, which places.
 * Made once for a session; the kernel's walls, the file tools and the shown texts come from it.
 */
import type { Grant, WallGrantKind } from "./grant.ts";

/** `read-only` changes nothing, `workspace-write` changes the work alone, `off` has no walls. */
export const SANDBOX_MODES = ["read-only", "workspace-write", "off"] as const;

export type SandboxMode = typeof SANDBOX_MODES[number];

/** The network of commands: everything, nothing, this machine, or these hosts through the proxy. */
export type NetworkAccess = "on" | "off" | "loopback" | { readonly hosts: readonly string[] };

/** Where package managers keep what they fetched: own to the project, the person's, or nowhere. */
export const CACHE_MODES = ["private", "shared", "off"] as const;

export type CacheMode = typeof CACHE_MODES[number];

/**
 * The limits of a command behind the walls. Paths are absolute and real. The deepest place that
 * holds a path decides about it; a path that no place holds may be read.
 */
export interface SandboxPolicy {
  readonly mode: Exclude<SandboxMode, "off">;
  readonly network: NetworkAccess;
  /** Directories of the work. Commands change them in `workspace-write`. */
  readonly workspace: readonly string[];
  /** Other places that may be changed: caches, the private temporary directory, granted paths. */
  readonly writable: readonly string[];
  /** Places that are neither read nor changed, whatever holds them. */
  readonly hidden: readonly string[];
  /** Places that are read although a hidden place holds them, and not changed in a writable one. */
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
   * The walls stand when the promise resolves. `directory` is the environment's own;
   * `privatePlaces()` says what commands may do with its parts.
   * Undefined where commands run without walls now. @throws EnvironmentError when walls are
   * required and cannot be raised.
   */
  raise(directory: string): Promise<RaisedWalls | undefined>;
  close(): Promise<void>;
}

/** A new object whenever the walls have changed: shells kept behind the old walls are dropped. */
export interface RaisedWalls {
  /** The program that puts itself behind the walls and becomes what its arguments name. */
  readonly launcher: string;
  /** The device that makes terminals for commands; undefined where they use the system's. */
  readonly terminals?: string | undefined;
  /** Variables that commands get. */
  readonly env: Readonly<Record<string, string>>;
  /** A command is about to start. */
  begin(): void;
  /**
   * Called when a command has ended, or could not be started; returns what the walls stopped or
   * undid. `cwd` is where the command began.
   */
  end(end: { exitCode: number; output: string; cwd: string }): readonly string[];
}
