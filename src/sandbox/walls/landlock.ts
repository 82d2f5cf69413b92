/**
 * The Landlock wall: which paths a process may still open and which ports it may connect to.
 * Binds the calling thread, the threads it starts later and whatever it executes.
 */
import { must, type Step } from "../../process/launcher/launcher_image.ts";
import { AT_FDCWD, cString, type Libc, openPath } from "../../process/launcher/libc.ts";

const ASK_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const RULE_NET_PORT = 2;
const BIND_TCP = 1n;
const CONNECT_TCP = 2n;
const O_PATH_CLOEXEC = 0o12000000;
const F_SETFD = 2;
const RESOLVE_NO_SYMLINKS = 4n;

const EXECUTE = 1n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
/** Removing and making files and directories; no devices, sockets, fifos or symlinks. */
const CHANGE_DIR = (1n << 4n) | (1n << 5n) | (1n << 7n) | (1n << 8n);
/** Sockets, fifos and symlinks; no program may make devices. */
const MAKE_SPECIAL = (1n << 9n) | (1n << 10n) | (1n << 12n);
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEVICE = 1n << 15n;

/**
 * `run` executes a file, `read` reads a file, `sink` also writes it, `tree` reads below a
 * directory, `work` also writes there. For commands: `see` lists names below a directory,
 * `tree-run` reads and executes there, `tree-work` does everything there but make devices;
 * `file-run` and `file-work` are the same for one file.
 */
export type PathGrant = {
  path: string;
  access: "run" | "read" | "tree" | "work" | "sink" | CommandAccess;
};

export type CommandAccess = "see" | "tree-run" | "tree-work" | "file-run" | "file-work";

/** TCP ports that may be connected to. */
export type PortGrant = readonly number[] | "any";

const RIGHTS: Readonly<Record<PathGrant["access"], bigint>> = {
  run: EXECUTE | READ_FILE,
  read: READ_FILE,
  tree: READ_FILE | READ_DIR,
  work: READ_FILE | READ_DIR | WRITE_FILE | CHANGE_DIR | REFER | TRUNCATE,
  sink: READ_FILE | WRITE_FILE | TRUNCATE,
  see: READ_DIR,
  "tree-run": EXECUTE | READ_FILE | READ_DIR,
  "tree-work": EXECUTE | READ_FILE | READ_DIR | WRITE_FILE | CHANGE_DIR | MAKE_SPECIAL | REFER |
    TRUNCATE | IOCTL_DEVICE,
  "file-run": EXECUTE | READ_FILE,
  "file-work": EXECUTE | READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEVICE,
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

/** Allows these paths and nothing else. Needs no-new-privs. @throws when the kernel refuses. */
export function raiseLandlock(libc: Libc, paths: readonly PathGrant[]): void {
  const version = landlockVersion(libc);
  if (version === 0) throw new Error("this kernel has no Landlock");
  const ruleset = libc.call("landlock_create_ruleset", ...rulesetArguments(version, {}));
  if (ruleset < 0) throw new Error("landlock_create_ruleset failed");
  for (const grant of paths) addPath(libc, ruleset, { ...grant, version });
  if (libc.call("landlock_restrict_self", ruleset, 0) !== 0) {
    throw new Error("landlock_restrict_self failed");
  }
  libc.call("close", ruleset);
}

/**
 * A ruleset for programs that are started later, open in this process and its children until they
 * close it. Programs listen where they like; without `connect` they also connect where they like.
 * @throws when the kernel refuses.
 */
export function makeRuleset(
  libc: Libc,
  { paths, connect }: { paths: readonly PathGrant[]; connect?: readonly number[] | undefined },
): number {
  const version = landlockVersion(libc);
  const network = connect === undefined ? 0n : CONNECT_TCP;
  const ruleset = libc.call("landlock_create_ruleset", ...rulesetArguments(version, { network }));
  if (ruleset < 0) throw new Error("landlock_create_ruleset failed");
  try {
    for (const grant of paths) addPath(libc, ruleset, { ...grant, version, followLinks: false });
    for (const attribute of portRules(version, connect ?? [])) {
      if (libc.call("landlock_add_rule", ruleset, RULE_NET_PORT, attribute, 0) !== 0) {
        throw new Error("landlock_add_rule failed for a port");
      }
    }
  } catch (error) {
    libc.call("close", ruleset);
    throw error;
  }
  libc.call("fcntl", ruleset, F_SETFD, 0);
  return ruleset;
}

function rulesetArguments(
  version: number,
  { ports = [], network = ports === "any" ? BIND_TCP : BIND_TCP | CONNECT_TCP }: {
    ports?: PortGrant;
    network?: bigint;
  },
): [Uint8Array<ArrayBuffer>, number, number] {
  // The last: abstract sockets, signals.
  const attributes = new BigUint64Array([handledRights(version), network, 3n]);
  const size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  return [new Uint8Array(attributes.buffer), size, 0];
}

function portRules(version: number, ports: PortGrant): Uint8Array<ArrayBuffer>[] {
  if (version < 4 || ports === "any") return [];
  return ports.map((port) =>
    new Uint8Array(new BigUint64Array([CONNECT_TCP, BigInt(port)]).buffer)
  );
}

/** The rule for a path that `descriptor` holds open. */
function pathRule(
  access: PathGrant["access"],
  { version, descriptor }: { version: number; descriptor: number },
): Uint8Array<ArrayBuffer> {
  const attribute = new Uint8Array(12);
  const view = new DataView(attribute.buffer);
  view.setBigUint64(0, RIGHTS[access] & handledRights(version), true);
  view.setInt32(8, descriptor, true);
  return attribute;
}

/**
 * Opens a path without following links: commands may have put a link there since the grants were
 * made. Devices are links on some systems, and commands cannot change them.
 */
function openWithoutLinks(libc: Libc, path: string): number {
  const how = new Uint8Array(
    new BigUint64Array([BigInt(O_PATH_CLOEXEC), 0n, RESOLVE_NO_SYMLINKS]).buffer,
  );
  const descriptor = libc.call("openat2", AT_FDCWD, cString(path), how, how.length);
  return descriptor < 0 && path.startsWith("/dev/")
    ? openPath(libc, { path, flags: O_PATH_CLOEXEC })
    : descriptor;
}

interface PathRule extends PathGrant {
  version: number;
  followLinks?: boolean;
}

function addPath(libc: Libc, ruleset: number, rule: PathRule): void {
  const descriptor = rule.followLinks === false
    ? openWithoutLinks(libc, rule.path)
    : openPath(libc, { path: rule.path, flags: O_PATH_CLOEXEC });
  // A path that does not exist here needs no grant.
  if (descriptor < 0) return;
  const attribute = pathRule(rule.access, { version: rule.version, descriptor });
  const result = libc.call("landlock_add_rule", ruleset, RULE_PATH_BENEATH, attribute, 0);
  libc.call("close", descriptor);
  if (result !== 0) throw new Error(`landlock_add_rule failed for ${rule.path}`);
}

/** Steps that add paths to a ruleset that a launcher has open; a path that is not there adds nothing. */
export function pathRuleSteps(
  paths: readonly PathGrant[],
  { ruleset, version, descriptor }: { ruleset: number; version: number; descriptor: number },
): Step[] {
  return paths.flatMap(({ path, access }): Step[] => {
    const attribute = pathRule(access, { version, descriptor });
    return [
      { call: "openat", args: [AT_FDCWD, cString(path), O_PATH_CLOEXEC], orElse: { skip: 2 } },
      must("landlock_add_rule", ruleset, RULE_PATH_BENEATH, attribute, 0),
      must("close", descriptor),
    ];
  });
}

/** Steps that add files that a launcher has open under these numbers. */
export function openFileSteps(
  files: readonly { descriptor: number; access: PathGrant["access"] }[],
  { ruleset, version }: { ruleset: number; version: number },
): Step[] {
  return files.map(({ descriptor, access }) => {
    const attribute = pathRule(access, { version, descriptor });
    return must("landlock_add_rule", ruleset, RULE_PATH_BENEATH, attribute, 0);
  });
}

/**
 * The same as steps of a launcher. `nextDescriptor` is the number the kernel gives out next; the
 * lowest free one always is, and a wrong guess makes the launch fail.
 */
export function landlockSteps(
  { paths, ports = [] }: LandlockGrants,
  { version, nextDescriptor: ruleset }: { version: number; nextDescriptor: number },
): Step[] {
  return [
    must("landlock_create_ruleset", ...rulesetArguments(version, { ports })),
    ...pathRuleSteps(paths, { ruleset, version, descriptor: ruleset + 1 }),
    ...portRules(version, ports).map((attribute) =>
      must("landlock_add_rule", ruleset, RULE_NET_PORT, attribute, 0)
    ),
    must("landlock_restrict_self", ruleset, 0),
    must("close", ruleset),
  ];
}
