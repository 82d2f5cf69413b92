/**
 * The Landlock wall: which paths a process may still open and which ports it may connect to.
 * Binds the calling thread, the threads it starts later and whatever it executes.
 */
import { cString, type Libc } from "./libc.ts";

const CREATE_RULESET = 444n;
const ADD_RULE = 445n;
const RESTRICT_SELF = 446n;
const ASK_VERSION = 1n;
const RULE_PATH_BENEATH = 1n;
const RULE_NET_PORT = 2n;
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
  return Math.max(0, Number(libc.call.syscall(CREATE_RULESET, 0n, 0n, ASK_VERSION, 0n)));
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
  const size = version >= 6 ? 24n : version >= 4 ? 16n : 8n;
  const bytes = new Uint8Array(attributes.buffer);
  const ruleset = libc.call.syscallBuffer(CREATE_RULESET, bytes, size, 0n, 0n);
  if (ruleset < 0n) throw new Error("landlock_create_ruleset failed");
  for (const grant of paths) addPath(libc, ruleset, { ...grant, handled });
  if (version >= 4 && ports !== "any") ports.forEach((port) => addPort(libc, ruleset, port));
  if (libc.call.syscall(RESTRICT_SELF, ruleset, 0n, 0n, 0n) !== 0n) {
    throw new Error("landlock_restrict_self failed");
  }
  libc.call.close(Number(ruleset));
}

function addPort(libc: Libc, ruleset: bigint, port: number): void {
  const attribute = new Uint8Array(new BigUint64Array([CONNECT_TCP, BigInt(port)]).buffer);
  if (libc.call.syscallThird(ADD_RULE, ruleset, RULE_NET_PORT, attribute, 0n) !== 0n) {
    throw new Error(`landlock_add_rule failed for port ${port}`);
  }
}

function addPath(libc: Libc, ruleset: bigint, rule: PathGrant & { handled: bigint }): void {
  const descriptor = libc.call.open(cString(rule.path), O_PATH_CLOEXEC);
  // A path that does not exist here needs no grant.
  if (descriptor < 0) return;
  const attribute = new Uint8Array(12);
  const view = new DataView(attribute.buffer);
  view.setBigUint64(0, RIGHTS[rule.access] & rule.handled, true);
  view.setInt32(8, descriptor, true);
  const result = libc.call.syscallThird(ADD_RULE, ruleset, RULE_PATH_BENEATH, attribute, 0n);
  libc.call.close(descriptor);
  if (result !== 0n) throw new Error(`landlock_add_rule failed for ${rule.path}`);
}
