/**
 * The seccomp wall around commands. Everything a developer's program does is allowed but what
 * reaches other processes, the kernel itself or another view of the system, and the sockets that
 * the network setting closes. Path rules are Landlock's.
 */
import { type Arch, type SyscallName, SYSCALLS } from "../../process/launcher/syscalls_data.ts";
import {
  type ArgTest,
  assemble,
  AUDIT_ARCH,
  compileTest,
  DATA_ARCH,
  DATA_NUMBER,
  type Instruction,
  JUMP,
  JUMP_EQUAL,
  JUMP_GREATER_EQUAL,
  LOAD,
  refusal,
  RET_ALLOW,
  RETURN,
} from "../walls/filter_program.ts";

/** Which sockets programs may make. */
export interface SocketRules {
  /** `any`: TCP and UDP. `tcp`: streams alone, Landlock bounds where to. `none`: no network. */
  network: "any" | "tcp" | "none";
  /** False: sockets with names could reach what acts for the person. Pairs are always made. */
  unix: boolean;
}

/** Refused as something that needs a right this process does not have. */
const NOT_PERMITTED = refusal(1); // EPERM
/** Programs know these as missing from old kernels and do without. */
const UNKNOWN = refusal(38); // ENOSYS
/** What a refused socket says: nothing else on a machine with a network does. */
const NETWORK_DOWN = refusal(100); // ENETDOWN

const NEVER: readonly SyscallName[] =
  ("mount umount2 open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick " +
    "mount_setattr pivot_root chroot unshare setns bpf perf_event_open userfaultfd keyctl " +
    "add_key request_key kexec_load kexec_file_load init_module finit_module delete_module " +
    "reboot swapon swapoff acct settimeofday clock_settime adjtimex clock_adjtime iopl ioperm " +
    "syslog quotactl quotactl_fd open_by_handle_at fanotify_init process_madvise " +
    "process_mrelease migrate_pages move_pages sethostname setdomainname vhangup nfsservctl " +
    "lookup_dcookie uselib kcmp pidfd_getfd").split(" ") as SyscallName[];

/** The flags of `clone3` are behind a pointer; libraries fall back to `clone`. */
const OLD_KERNEL: readonly SyscallName[] = "clone3 io_uring_setup io_uring_enter io_uring_register"
  .split(" ") as SyscallName[];

/** CLONE_NEWNS, and from CLONE_NEWCGROUP to CLONE_NEWNET. */
const CLONE_NAMESPACES = 0x7e020000;
/** Typing into the terminal of somebody else, and the console's commands. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** Where the filter finds the second argument. */
const REQUEST = 24;
const MSG_FASTOPEN = 0x20000000;

const UNIX = 1;
const INET = 2;
const INET6 = 10;
const NETLINK = 16;
const STREAM = 1;
const TYPE_MASK = 0xf;
const TCP = 6;

/** A call that is answered with `answer` unless one of the lists of tests holds as a whole. */
interface Refused {
  name: SyscallName;
  answer: number;
  allowed: readonly (readonly ArgTest[])[];
}

function socketRules({ network, unix }: SocketRules): Refused[] {
  const families: ArgTest[][] = [
    // Only the kernel's list of interfaces and routes.
    [{ arg: 0, values: [NETLINK] }, { arg: 2, values: [0] }],
  ];
  if (unix) families.push([{ arg: 0, values: [UNIX] }]);
  if (network === "any") families.push([{ arg: 0, values: [INET, INET6] }]);
  if (network === "tcp") {
    families.push([
      { arg: 0, values: [INET, INET6] },
      { arg: 1, mask: TYPE_MASK, values: [STREAM] },
      // Landlock knows no ports of MPTCP and the like.
      { arg: 2, values: [0, TCP] },
    ]);
  }
  const sockets: Refused[] = [{ name: "socket", answer: NETWORK_DOWN, allowed: families }];
  if (network !== "tcp") return sockets;
  // Sending can connect as well, and Landlock does not look then.
  const sends = [["sendto", 3], ["sendmsg", 2], ["sendmmsg", 3]] as const;
  return [
    ...sockets,
    ...sends.map(([name, arg]): Refused => ({
      name,
      answer: NOT_PERMITTED,
      allowed: [[{ arg, mask: MSG_FASTOPEN, values: [0] }]],
    })),
  ];
}

function refusedCalls(rules: SocketRules): Refused[] {
  const outright = (names: readonly SyscallName[], answer: number): Refused[] =>
    names.map((name) => ({ name, answer, allowed: [] }));
  return [
    ...outright(NEVER, NOT_PERMITTED),
    ...outright(OLD_KERNEL, UNKNOWN),
    {
      name: "clone",
      answer: NOT_PERMITTED,
      allowed: [[{ arg: 0, mask: CLONE_NAMESPACES, values: [0] }]],
    },
    // Limits of other processes; the own ones are process 0.
    { name: "prlimit64", answer: NOT_PERMITTED, allowed: [[{ arg: 0, values: [0] }]] },
    ...socketRules(rules),
  ];
}

/** `ioctl` has far more good requests than bad ones. */
function ioctlRule(arch: Arch): NumberedRule {
  const body: Instruction[] = [
    [LOAD, 0, 0, REQUEST],
    [JUMP_EQUAL, 1, 0, TIOCSTI],
    [JUMP_EQUAL, 0, 1, TIOCLINUX],
    [RETURN, 0, 0, NOT_PERMITTED],
    [RETURN, 0, 0, RET_ALLOW],
  ];
  return { number: SYSCALLS.ioctl[column(arch)], body };
}

function column(arch: Arch): 0 | 1 {
  return arch === "x86_64" ? 0 : 1;
}

/** What is done for one number; every way through the body ends in an answer. */
interface NumberedRule {
  number: number;
  body: readonly Instruction[];
}

function compileRefused({ answer, allowed }: Refused, number: number): NumberedRule {
  let body: Instruction[] = [[RETURN, 0, 0, answer]];
  for (const tests of allowed.toReversed()) {
    let list: Instruction[] = [[RETURN, 0, 0, RET_ALLOW]];
    // Each test that fails goes on behind the whole list.
    for (const test of tests.toReversed()) list = [...compileTest(test, list.length), ...list];
    body = [...list, ...body];
  }
  return { number, body };
}

/** So few are looked at one after the other. */
const FEW = 2;

/**
 * The rules as a tree over the numbers. The kernel tries a new filter on every number there is,
 * twice, before a program starts: a list takes it half a millisecond, a tree a tenth of that.
 */
function searchTree(rules: readonly NumberedRule[]): Instruction[] {
  if (rules.length <= FEW) {
    const checks = rules.flatMap(({ number, body }): Instruction[] => [
      [JUMP_EQUAL, 0, body.length, number],
      ...body,
    ]);
    return [...checks, [RETURN, 0, 0, RET_ALLOW]];
  }
  const middle = rules.length >> 1;
  const [low, high] = [searchTree(rules.slice(0, middle)), searchTree(rules.slice(middle))];
  return [
    [JUMP_GREATER_EQUAL, 0, 1, rules[middle]!.number],
    [JUMP, 0, 0, low.length],
    ...low,
    ...high,
  ];
}

/** Numbers of the x32 interface mean the same calls under other numbers. */
const X32 = 0x40000000;

/** The filter of a command, as the bytes of `struct sock_filter[]`. */
export function commandFilter(rules: SocketRules, arch: Arch): Uint8Array<ArrayBuffer> {
  const program: Instruction[] = [
    [LOAD, 0, 0, DATA_ARCH],
    [JUMP_EQUAL, 1, 0, AUDIT_ARCH[arch]],
    [RETURN, 0, 0, NOT_PERMITTED],
    [LOAD, 0, 0, DATA_NUMBER],
  ];
  if (arch === "x86_64") {
    program.push([JUMP_GREATER_EQUAL, 0, 1, X32], [RETURN, 0, 0, UNKNOWN]);
  }
  const numbered = refusedCalls(rules)
    .map((refused) => compileRefused(refused, SYSCALLS[refused.name][column(arch)]))
    .concat(ioctlRule(arch))
    .filter(({ number }) => number >= 0)
    .toSorted((a, b) => a.number - b.number);
  return assemble([...program, ...searchTree(numbered)]);
}
