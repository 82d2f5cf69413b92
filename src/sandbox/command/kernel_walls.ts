/**
 * A policy as walls of this kernel: a view of the file system, Landlock, seccomp and resource
 * limits, all raised by a launcher before a command begins. Uses the best that the system gives
 * and says what that is.
 */
import { type Launcher, makeLauncher } from "../../process/launcher/launcher.ts";
import { must, type Step } from "../../process/launcher/launcher_image.ts";
import { architecture, type Libc, openLibc } from "../../process/launcher/libc.ts";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { landlockVersion, makeRuleset, openFileSteps, pathRuleSteps } from "../walls/landlock.ts";
import { commandFilter, type SocketRules } from "./command_filter.ts";
import type { PolicyDisk } from "./disk.ts";
import { pathGrants } from "./grants.ts";
import { mountSteps, placesOfView } from "./mount_plan.ts";
import { makeNamespaces, type Namespaces } from "./namespaces.ts";
import { commandPrivilegeSteps } from "./privileges.ts";
import { SIGNAL_SCOPES, type StandingWalls } from "./standing.ts";

export interface KernelWallsOptions {
  policy: SandboxPolicy;
  disk: PolicyDisk;
  /** An empty directory and an empty file, hermes' own. */
  empty: { directory: string; file: string };
  /** Directories that stay as they are although the work around them changes. */
  kept: readonly string[];
  /** Where a proxy listens that alone may be connected to. */
  proxyPort?: number | undefined;
  /** False for a command that stays on the person's terminal. */
  ownSession?: boolean | undefined;
  /** Leaves namespaces out, for the tests that prove the other walls. */
  withoutNamespaces?: boolean | undefined;
}

/** Walls that stand: programs start behind them through the launcher. */
export interface KernelWalls {
  readonly launcher: string;
  /** What makes a terminal that commands find; undefined where they find those of the system. */
  readonly terminals?: string;
  readonly standing: StandingWalls;
  /** False when what keeps the view of the file system has ended. */
  readonly alive: boolean;
  close(): Promise<void>;
}

const SECCOMP_SET_MODE_FILTER = 1;
const LAST_DESCRIPTOR = 0xffff_ffff;
const FIRST_DESCRIPTOR = 3;
const PORT_RULES = 4;

/** Undefined where this system can raise no wall at all. @throws when the kernel refuses a rule. */
export async function raiseKernelWalls(
  options: KernelWallsOptions,
): Promise<KernelWalls | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  const libc = openCLibrary();
  if (libc === undefined) return undefined;
  const version = landlockVersion(libc);
  const namespaces = options.withoutNamespaces ? undefined : await namespacesOf(options);
  let ruleset: number | undefined;
  let launcher: Launcher | undefined;
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    launcher?.close();
    if (ruleset !== undefined) closeDescriptor(ruleset);
    await namespaces?.close();
  };
  try {
    const hasView = namespaces !== undefined;
    if (version > 0) ruleset = commandRuleset(libc, options, { hasView });
    const sockets = socketRules(options, { version, namespaces });
    launcher = makeLauncher(launchSteps({ options, version, namespaces, ruleset, sockets }));
    const view = !hasView ? "none" : namespaces.ownUsers ? "own users" : "full";
    const network = networkThatHolds(options, { version, namespaces });
    if (launcher === undefined) return undefined;
    return {
      launcher: launcher.path,
      ...hasView && hasOwnTerminals(options)
        ? { terminals: `${namespaces.root}/dev/pts/ptmx` }
        : {},
      standing: { landlock: version, view, sockets, network },
      get alive() {
        return namespaces?.alive !== false;
      },
      close,
    };
  } finally {
    libc.close();
    if (launcher === undefined) await close();
  }
}

/** Once more where the disk has changed since the plan was made. */
async function namespacesOf(options: KernelWallsOptions): Promise<Namespaces | undefined> {
  const network = options.policy.network === "loopback";
  const plan = () =>
    mountSteps({
      ...options,
      mounted: mountPoints(),
      others: othersPlaces(options),
      ownTerminals: hasOwnTerminals(options),
    });
  const mounts = plan();
  const made = await makeNamespaces({ mounts, network });
  if (made !== undefined) return made;
  const again = plan();
  const isSame = JSON.stringify(again) === JSON.stringify(mounts);
  return isSame ? undefined : await makeNamespaces({ mounts: again, network });
}

/** A command that stays on the person's terminal finds it by its name. */
function hasOwnTerminals({ ownSession = true, disk }: KernelWallsOptions): boolean {
  return ownSession && disk.kind("/dev/pts") === "directory";
}

function openCLibrary(): Libc | undefined {
  try {
    return openLibc();
  } catch {
    return undefined; // Another C library, or no right to call it.
  }
}

function closeDescriptor(descriptor: number): void {
  const libc = openLibc();
  libc.call("close", descriptor);
  libc.close();
}

function commandRuleset(
  libc: Libc,
  { policy, disk, proxyPort }: KernelWallsOptions,
  view: { hasView: boolean },
): number {
  const connect = typeof policy.network === "object" && proxyPort !== undefined
    ? [proxyPort]
    : undefined;
  return makeRuleset(libc, { paths: pathGrants(policy, disk, view).grants, connect });
}

interface Kernel {
  version: number;
  namespaces: Namespaces | undefined;
}

/** What of the network setting can be kept here; what cannot is closed altogether. */
function networkThatHolds({ policy, proxyPort }: KernelWallsOptions, kernel: Kernel) {
  const { network } = policy;
  if (network === "loopback") return kernel.namespaces?.network ? network : "off";
  if (typeof network !== "object") return network;
  return kernel.version >= PORT_RULES && proxyPort !== undefined ? network : "off";
}

/**
 * Sockets with names stay closed unless those that act for the person are out of sight: by the
 * view of the file system, and by Landlock where they are in no file system.
 */
function socketRules(options: KernelWallsOptions, kernel: Kernel): SocketRules {
  const network = networkThatHolds(options, kernel);
  return {
    network: network === "off" ? "none" : typeof network === "object" ? "tcp" : "any",
    unix: kernel.namespaces !== undefined && kernel.version >= SIGNAL_SCOPES,
  };
}

interface LaunchParts {
  options: KernelWallsOptions;
  version: number;
  namespaces: Namespaces | undefined;
  ruleset: number | undefined;
  sockets: SocketRules;
}

function launchSteps(
  { options, version, namespaces, ruleset, sockets }: LaunchParts,
): Step[] {
  // The lowest free number; the ruleset is kept until it is used.
  const descriptor = ruleset === FIRST_DESCRIPTOR ? FIRST_DESCRIPTOR + 1 : FIRST_DESCRIPTOR;
  const ownTerminals = hasOwnTerminals(options);
  const inView = namespaces === undefined ? [] : placesOfView({ ...options, ownTerminals });
  return [
    ...options.ownSession === false ? [] : [must("setsid")],
    ...closeAllBut(ruleset),
    ...namespaces?.joinSteps(descriptor) ?? [],
    ...commandPrivilegeSteps(options.policy.limits, { keepsRoot: namespaces?.ownUsers !== true }),
    ...ruleset === undefined ? [] : [
      ...pathRuleSteps(inView, { ruleset, version, descriptor }),
      ...openFileSteps(inheritedFiles(options), { ruleset, version }),
      must("landlock_restrict_self", ruleset, 0),
      must("close", ruleset),
    ],
    must("seccomp", SECCOMP_SET_MODE_FILTER, 0, {
      instructions: commandFilter(sockets, architecture()),
    }),
  ];
}

/** Files that a person gave a command as its streams can be opened by their names as well. */
function inheritedFiles({ ownSession = true }: KernelWallsOptions) {
  const files = ownSession ? [] : [0, 1, 2].filter((descriptor) => {
    try {
      return Deno.statSync(`/proc/self/fd/${descriptor}`).isFile;
    } catch {
      return false; // Closed, or a pipe.
    }
  });
  return files.map((descriptor) => {
    const access = descriptor === 0 ? "read" as const : "sink" as const;
    return { descriptor, access };
  });
}

/** A kernel without Landlock may not know the call; what hermes opens, it closes by itself. */
function closeAllBut(kept: number | undefined): Step[] {
  if (kept === undefined) {
    return [{ ...must("close_range", FIRST_DESCRIPTOR, LAST_DESCRIPTOR, 0), orElse: { skip: 0 } }];
  }
  return [
    ...kept > FIRST_DESCRIPTOR ? [must("close_range", FIRST_DESCRIPTOR, kept - 1, 0)] : [],
    must("close_range", kept + 1, LAST_DESCRIPTOR, 0),
  ];
}

/**
 * Sockets with names, wherever they are, and terminals of others: whoever connects or writes acts
 * for the person. Those that appear later are out of sight only in hidden places.
 */
function othersPlaces(options: KernelWallsOptions): string[] {
  if (hasOwnTerminals(options)) return listenedPaths();
  // A command that stays on the person's terminal may write there.
  const own = new Set([0, 1, 2].map(descriptorPath));
  return [...listenedPaths(), ...terminals().filter((path) => !own.has(path))];
}

function listenedPaths(): string[] {
  try {
    const lines = Deno.readTextFileSync("/proc/net/unix").split("\n");
    const paths = lines.map((line) => line.slice(line.indexOf(" /") + 1));
    return [...new Set(paths.filter((path) => path.startsWith("/")))];
  } catch {
    return []; // Not for this user to see.
  }
}

function terminals(): string[] {
  try {
    return [...Deno.readDirSync("/dev/pts")].map(({ name }) => `/dev/pts/${name}`)
      .filter((path) => path !== "/dev/pts/ptmx");
  } catch {
    return []; // There are none.
  }
}

function descriptorPath(descriptor: number): string {
  try {
    return Deno.readLinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

/** Where something is mounted that can be changed. */
function mountPoints(): string[] {
  return Deno.readTextFileSync("/proc/self/mountinfo").split("\n").flatMap((line) => {
    const [, , , , path, flags = ""] = line.split(" ");
    if (path === undefined || !/^rw\b/.test(flags)) return [];
    return [path.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)))];
  });
}
