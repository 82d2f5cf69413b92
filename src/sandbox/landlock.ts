/**
 * The Landlock wall: which paths a process may still open and which ports it may connect to.
 * Binds the calling thread, the threads it starts later and whatever it executes.
 */
import { type Libc, openPath } from "./libc.ts";

const ASK_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const RULE_NET_PORT = 2;
const BIND_TCP = 1n;
const CONNECT_TCP = 2n;
const O_PATH_CLOEXEC = 0o12000000;

const EXECUTE = 1n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
/** Removing and making files and directories; no devices, sockets, fifos or symlinks. */
const CHANGE_DIR = (1n << 4n) | (1n << 5n) | (1n << 7n) | (1n << 8n);
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;

/**
 * `run` executes a file, `read` reads a file, `sink` also writes it, `tree` reads below a
 * directory, `work` also writes there.
 */
export type PathGrant = {
  path: string;
  access: "run" | "read" | "tree" | "work" | "sink";
};

/** TCP ports that may be connected to. */
export type PortGrant = readonly number[] | "any";

const RIGHTS: Readonly<Record<PathGrant["access"], bigint>> = {
  run: EXECUTE | READ_FILE,
  read: READ_FILE,
  tree: READ_FILE | READ_DIR,
  work: READ_FILE | READ_DIR | WRITE_FILE | CHANGE_DIR | REFER | TRUNCATE,
  sink: READ_FILE | WRITE_FILE | TRUNCATE,
};

/** The kernel's Landlock version, 0 where it has none. */
export function landlockVersion(libc: Libc): number {
  return Math.max(0, libc.call("landlock_create_ruleset", 0, 0, ASK_VERSION));
}

/** File rights a version knows: an unknown bit would make the kernel refuse the whole ruleset. */
function handledRights(version: number): bigint {
  const bits = version >= 5 ? 16n : version >= 3 ? 15n : version === 2 ? 14n : 13n;
  return (1n << bits) - 1n;
}

export interface LandlockGrants {
  paths: readonly PathGrant[];
  /** None unless given. */
  ports?: PortGrant;
}

/** Allows what is granted and nothing else. Needs no-new-privs. @throws when the kernel refuses. */
export function raiseLandlock(libc: Libc, { paths, ports = [] }: LandlockGrants): void {
  const version = landlockVersion(libc);
  if (version === 0) throw new Error("this kernel has no Landlock");
  const handled = handledRights(version);
  const network = ports === "any" ? BIND_TCP : BIND_TCP | CONNECT_TCP;
  const attributes = new BigUint64Array([handled, network, 3n]); // last: abstract sockets, signals
  const size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const bytes = new Uint8Array(attributes.buffer);
  const ruleset = libc.call("landlock_create_ruleset", bytes, size, 0);
  if (ruleset < 0) throw new Error("landlock_create_ruleset failed");
  for (const grant of paths) addPath(libc, ruleset, { ...grant, handled });
  if (version >= 4 && ports !== "any") ports.forEach((port) => addPort(libc, ruleset, port));
  if (libc.call("landlock_restrict_self", ruleset, 0) !== 0) {
    throw new Error("landlock_restrict_self failed");
  }
  libc.call("close", ruleset);
}

function addPort(libc: Libc, ruleset: number, port: number): void {
  const attribute = new Uint8Array(new BigUint64Array([CONNECT_TCP, BigInt(port)]).buffer);
  if (libc.call("landlock_add_rule", ruleset, RULE_NET_PORT, attribute, 0) !== 0) {
    throw new Error(`landlock_add_rule failed for port ${port}`);
  }
}

function addPath(libc: Libc, ruleset: number, rule: PathGrant & { handled: bigint }): void {
  const descriptor = openPath(libc, { path: rule.path, flags: O_PATH_CLOEXEC });
  // A path that does not exist here needs no grant.
  if (descriptor < 0) return;
  const attribute = new Uint8Array(12);
  const view = new DataView(attribute.buffer);
  view.setBigUint64(0, RIGHTS[rule.access] & rule.handled, true);
  view.setInt32(8, descriptor, true);
  const result = libc.call("landlock_add_rule", ruleset, RULE_PATH_BENEATH, attribute, 0);
  libc.call("close", descriptor);
  if (result !== 0) throw new Error(`landlock_add_rule failed for ${rule.path}`);
}
