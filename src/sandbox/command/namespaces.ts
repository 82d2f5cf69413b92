/**
 * A process that keeps namespaces for the commands of a session: one view of the file system, and
 * a network of its own where only loopback is wanted. Commands join it when they start, so that
 * the view is made once. It waits at a pipe that only hermes holds and ends with it.
 */
import { onlyVariables } from "../../process/child_environment.ts";
import { makeLauncher } from "../../process/launcher/launcher.ts";
import { must, type Step } from "../../process/launcher/launcher_image.ts";
import { AT_FDCWD, cString } from "../../process/launcher/libc.ts";
import { spawnChild } from "../../process/spawn.ts";
import { abandonWriter } from "../../process/within.ts";
import { endMembers, mountNamespace } from "./namespace_members.ts";

const NEW_MOUNTS = 0x20000;
/** Shared memory and queues that have no files. */
const NEW_IPC = 0x8000000;
const NEW_USER = 0x10000000;
const NEW_NETWORK = 0x40000000;
const O_WRONLY = 1;
/** The first descriptor behind the standard ones. */
const DESCRIPTOR = 3;
const LAST_DESCRIPTOR = 0xffff_ffff;
const AF_INET = 2;
const SOCK_DGRAM = 2;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;

const READY = "ready";
/** When hermes was killed, nobody else ends what is left in the namespace. */
const END_OTHERS = "i=0; while [ $i -lt 20 ]; do i=$((i+1)); k=; for p in /proc/[0-9]*; do " +
  '[ "$p" = /proc/$$ ] || ! [ $p/ns/mnt -ef /proc/$$/ns/mnt ] || ' +
  "{ kill -9 ${p#/proc/} && k=1; }; done; [ $k ] || exit 0; done 2>/dev/null";
const WAIT = `echo ${READY}; IFS= read -r _; ${END_OTHERS}`;

export interface NamespaceOptions {
  /** What is done inside before anything runs there. */
  mounts: readonly Step[];
  /** With a network that has nothing but loopback. */
  network: boolean;
}

/** Namespaces that programs can join. */
export interface Namespaces {
  /** Steps of a launcher that join them; `descriptor` is the lowest that is not open. */
  joinSteps(descriptor: number): Step[];
  /** The root of their files, as this process reaches it. */
  readonly root: string;
  /** True when they have a network of their own. */
  readonly network: boolean;
  /** True when they belong to a user namespace of their own, in which files of others are nobody's. */
  readonly ownUsers: boolean;
  /** False once the process that keeps them has ended. */
  readonly alive: boolean;
  close(): Promise<void>;
}

/**
 * As the user hermes runs as, or else in a user namespace, with a network where that can be had;
 * undefined where none is possible.
 */
export async function makeNamespaces(options: NamespaceOptions): Promise<Namespaces | undefined> {
  for (const network of options.network ? [true, false] : [false]) {
    for (const ownUsers of [false, true]) {
      const kept = await keep({ ...options, network }, ownUsers);
      if (kept !== undefined) return kept;
    }
  }
  return undefined;
}

async function keep(
  { mounts, network }: NamespaceOptions,
  ownUsers: boolean,
): Promise<Namespaces | undefined> {
  const flags = NEW_MOUNTS | NEW_IPC | (ownUsers ? NEW_USER : 0) | (network ? NEW_NETWORK : 0);
  const launcher = makeLauncher([
    must("setsid"),
    must("close_range", DESCRIPTOR, LAST_DESCRIPTOR, 0),
    must("unshare", flags),
    ...ownUsers ? sameUserSteps() : [],
    ...network ? loopbackSteps() : [],
    ...mounts,
  ]);
  if (launcher === undefined) return undefined;
  try {
    const child = spawnChild({
      argv: [launcher.path, "/bin/sh", "-c", WAIT],
      env: onlyVariables({}),
      cwd: "/",
      group: "itself",
      stdin: "piped",
      stdout: "piped",
    });
    return await kept(child, { flags, ownUsers, network });
  } catch {
    return undefined; // Nothing is executed from memory here.
  } finally {
    launcher.close();
  }
}

async function kept(
  child: Deno.ChildProcess,
  { flags, ownUsers, network }: { flags: number; ownUsers: boolean; network: boolean },
): Promise<Namespaces | undefined> {
  const input = child.stdin.getWriter();
  const output = child.stdout.getReader();
  let alive = true;
  const ended = child.status.then(() => {
    alive = false;
  });
  const { value } = await output.read();
  const isReady = new TextDecoder().decode(value).startsWith(READY);
  await output.cancel();
  const namespace = mountNamespace(child.pid);
  const close = async () => {
    if (isReady && namespace !== undefined) await endMembers(namespace, child.pid);
    child.ref();
    await abandonWriter(input);
    await ended;
  };
  if (!isReady) {
    await close();
    return undefined;
  }
  // Not before it has answered: nothing else may be there for the process to wait for.
  child.unref();
  return {
    ownUsers,
    network,
    root: `/proc/${child.pid}/root`,
    get alive() {
      return alive;
    },
    joinSteps: (descriptor) => [
      must("pidfd_open", child.pid, 0),
      must("setns", descriptor, flags),
      must("close", descriptor),
    ],
    close,
  };
}

/** The user is the same inside; the kernel wants groups given up before it takes a list of them. */
function sameUserSteps(): Step[] {
  const write = (path: string, text: string): Step[] => {
    const bytes = new TextEncoder().encode(text);
    return [
      must("openat", AT_FDCWD, cString(path), O_WRONLY),
      must("write", DESCRIPTOR, bytes, bytes.length),
      must("close", DESCRIPTOR),
    ];
  };
  const [user, group] = [Deno.uid() ?? 0, Deno.gid() ?? 0];
  return [
    ...write("/proc/self/setgroups", "deny"),
    ...write("/proc/self/uid_map", `${user} ${user} 1`),
    ...write("/proc/self/gid_map", `${group} ${group} 1`),
  ];
}

function loopbackSteps(): Step[] {
  // struct ifreq: a name of 16 bytes, then the flags.
  const request = new Uint8Array(40);
  request.set(new TextEncoder().encode("lo"));
  new DataView(request.buffer).setInt16(16, IFF_UP, true);
  return [
    must("socket", AF_INET, SOCK_DGRAM, 0),
    must("ioctl", DESCRIPTOR, SIOCSIFFLAGS, request),
    must("close", DESCRIPTOR),
  ];
}
