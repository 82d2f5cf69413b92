/**
 * A yes that lasts, as data: what it covers, where and since when. The question, the store, the
 * list of `hermes approvals` and the walls all use this one shape.
 */

/**
 * `command`: one exact command. `shape`: one program with the same options and other operands
 * inside the project. `rule`: everything that a rule is about. `action`: one exact action of a
 * tool. `path-write`, `path-read`: a path and what is in it. `host`: one host. `outside`: one exact
 * command outside the walls.
 */
export const GRANT_KINDS = [
  "command",
  "shape",
  "rule",
  "action",
  "path-write",
  "path-read",
  "host",
  "outside",
] as const;

export type GrantKind = typeof GRANT_KINDS[number];

/** Kinds that let something through the walls: no policy gives them, only a person does. */
export const WALL_GRANT_KINDS = ["path-write", "path-read", "host", "outside"] as const;

export type WallGrantKind = typeof WALL_GRANT_KINDS[number];

/** The grant that a yes would give. */
export interface GrantOffer {
  /** `session` ends with the session; `project` is stored and holds in `project` alone. */
  scope: "once" | "session" | "project";
  kind: GrantKind;
  /** The command, shape, rule, action, path or host, as the question shows it. */
  value: string;
  /** The project the grant holds in: a directory, on another machine with its name before it. */
  project: string;
  /** The tool of the command or action; absent for commands of `terminal`. */
  tool?: string;
  /** The rules that the question named: what another rule finds is asked about again. */
  rules?: string[];
  /** The only directory the grant holds in, where the command names a directory above it. */
  cwd?: string;
  /** Stands for arguments that `value` does not show. */
  digest?: string;
}

export interface Grant extends GrantOffer {
  /** ISO 8601. */
  createdAt: string;
}
