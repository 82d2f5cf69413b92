/**
 * A policy as walls of this kernel: a view of the file system, Landlock, seccomp and resource
 * limits, all raised by a launcher before a command begins. Uses the best that the system gives
 * and says what that is.
 */
import { makeLauncher } from "../../process/launcher/launcher.ts";
import { must, type Step } from "../../process/launcher/launcher_image.ts";
import { architecture, type Libc, openLibc } from "../../process/launcher/libc.ts";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { landlockVersion, makeRuleset } from "../walls/landlock.ts";
import { commandFilter, type SocketRules } from "./command_filter.ts";
import type { PolicyDisk } from "./disk.ts";
import { pathGrants } from "./grants.ts";
import { mountSteps } from "./mount_plan.ts";
import { makeNamespaces, type Namespaces } from "./namespaces.ts";
import { commandPrivilegeSteps } from "./privileges.ts";
import type { StandingWalls } from "./standing.ts";

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
  readonly standing: StandingWalls;
  /** False when what keeps the view of the file system has ended. */
  readonly alive: boolean;
  close(): Promise<void>;
}

const SECCOMP_SET_MODE_FILTER = 1;
const PR_SET_DUMPABLE = 4;
const LAST_DESCRIPTOR = 0xffff_ffff;
const FIRST_DESCRIPTOR = 3;
const SIGNAL_SCOPES = 6;
const PORT_RULES = 4;

/** Undefined where this system can raise no wall at all. */
export async function raiseKernelWalls(
  options: KernelWallsOptions,
): Promise<KernelWalls | undefined> {
  if (Deno.build.os !== "linux") return undefined;
  const libc = openCLibrary();
  if (libc === undefined) return undefined;
  try {
    const version = landlockVersion(libc);
    const namespaces = options.withoutNamespaces ? undefined : await makeNamespaces({
      mounts: mountSteps({ ...options, mounted: mountPoints(), others: foreignSockets(options) }),
      network: options.policy.network === "loopback",
    });
    const ruleset = version === 0 ? undefined : commandRuleset(libc, options, {
      hasView: namespaces !== undefined,
    });
    const sockets = socketRules(options, { version, namespaces });
    const launcher = makeLauncher(launchSteps({ options, namespaces, ruleset, sockets }));
    if (launcher === undefined) {
      await namespaces?.close();
      return undefined;
    }
    return {
      launcher: launcher.path,
      standing: {
        landlock: version,
        view: namespaces === undefined ? "none" : namespaces.ownUsers ? "own users" : "full",
        sockets,
        network: networkThatHolds(options, { version, namespaces }),
      },
      get alive() {
        return namespaces?.alive !== false;
      },
      async close() {
        launcher.close();
        if (ruleset !== undefined) closeDescriptor(ruleset);
        await namespaces?.close();
      },
    };
  } finally {
    libc.close();
  }
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
  if (network === "loopback") return kernel.namespaces === undefined ? "off" : network;
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
  namespaces: Namespaces | undefined;
  ruleset: number | undefined;
  sockets: SocketRules;
}

function launchSteps({ options, namespaces, ruleset, sockets }: LaunchParts): Step[] {
  const join = namespaces?.joinSteps() ?? [];
  return [
    ...options.ownSession === false ? [] : [must("setsid")],
    // The descriptor that joins is the first free one; the ruleset is kept until it is used.
    ...closeAllBut(ruleset),
    ...join,
    ...commandPrivilegeSteps(options.policy.limits, { keepsRoot: namespaces?.ownUsers !== true }),
    ...ruleset === undefined ? [] : [
      must("landlock_restrict_self", ruleset, 0),
      must("close", ruleset),
    ],
    must("prctl", PR_SET_DUMPABLE, 1),
    must("seccomp", SECCOMP_SET_MODE_FILTER, 0, {
      instructions: commandFilter(sockets, architecture()),
    }),
  ];
}

function closeAllBut(kept: number | undefined): Step[] {
  if (kept === undefined) return [must("close_range", FIRST_DESCRIPTOR, LAST_DESCRIPTOR, 0)];
  return [
    ...kept > FIRST_DESCRIPTOR ? [must("close_range", FIRST_DESCRIPTOR, kept - 1, 0)] : [],
    must("close_range", kept + 1, LAST_DESCRIPTOR, 0),
  ];
}

/**
 * Sockets with names, wherever they are, and terminals of others: whoever connects or writes acts
 * for the person. Those that appear later are out of sight only in hidden places.
 */
function foreignSockets({ ownSession = true }: KernelWallsOptions): string[] {
  // A command that stays on the person's terminal may write there.
  const own = new Set(ownSession ? [] : [0, 1, 2].map(descriptorPath));
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
