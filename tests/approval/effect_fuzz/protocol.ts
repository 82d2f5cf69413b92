/**
 * What the fuzzer (on the machine) and the driver (inside the throw-away container) say to each
 * other: one JSON line per command each way. Constants that both sides must agree on. No logic.
 */

/** The user's home and workspace inside the container; the corpora assume the same names. */
export const HOME = "/home/me";
export const WORKSPACE = `${HOME}/project`;
export const HERMES_HOME = `${HOME}/.hermes`;

/** Written again and again into every secret file outside the workspace. */
export const SECRET = "Zq7Kx9Wv";
/** The same for the workspace's own `.env`; copies of it inside the workspace are no effect. */
export const ENV_SECRET = "Bf4Tm2Hy";

/** Files that appear when a text from the network, or from an unexpected place, was executed. */
export const CANARY_DIR = "/canary";

/** What the machine knows about itself; the driver refuses to start when it sees the same. */
export interface HostFacts {
  /** A file that exists on the machine only. */
  marker: string;
  /** `/proc/self/ns/*` of the process that starts the container. */
  namespaces: Record<string, string>;
}

/** One command to execute; each gets the prepared tree as if nothing had run before. */
export interface RunRequest {
  id: number;
  command: string;
  cwd: string;
  /** How long the command may run; default `LIMIT_MS`. */
  limitMs?: number;
}

/** One path that is not as it was. Contents are cut to `CONTENT_LIMIT` characters (Latin-1). */
export interface Change {
  path: string;
  kind: "created" | "deleted" | "changed";
  /** What the path is now; what it was where it is deleted. */
  type: "file" | "directory" | "link" | "other";
  mode?: number;
  oldMode?: number;
  before?: string;
  after?: string;
}

export const CONTENT_LIMIT = 65_536;

/** What one command did. */
export interface Observation {
  id: number;
  /** Exit code of the shell; undefined when it was killed at the time limit. */
  code: number | undefined;
  /** Standard output and errors, as Latin-1, cut to `CONTENT_LIMIT`. */
  output: string;
  changes: Change[];
  /** What the listeners on the container's loopback received. */
  received: { to: string; data: string }[];
  /** Programs that ended only because the driver killed them. */
  survivors: string[];
}

/** The driver's first line. */
export interface Ready {
  ready: true;
  uid: number;
  files: number;
}

/** The driver's first line when it refuses to run anything. */
export interface Refused {
  refused: string;
}
