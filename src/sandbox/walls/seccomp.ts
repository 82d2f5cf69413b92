/**
 * The seccomp wall as pure data: lists of allowed system calls, and their translation into the
 * BPF program the kernel runs. Everything not listed is refused, on every thread.
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
  JUMP_EQUAL,
  JUMP_GREATER_EQUAL,
  LOAD,
  refusal,
  RET_ALLOW,
  RETURN,
} from "./filter_program.ts";

/**
 * `script`: a JavaScript child, which needs no path, socket or process at all.
 * `python_start`: from `execve` until the interpreter is up; Landlock guards the paths.
 * `python`: added by the interpreter before the script runs; takes back what only start-up needs.
 * `plugin…`: a JavaScript child that has files, and the network or programs where it was granted;
 * programs it starts are behind the same filter.
 */
export type FilterProfile = "script" | "python_start" | "python" | PluginProfile;

/** `_net` has datagrams too, `_tcp` has none: no wall tells where they go. */
export type PluginProfile = `plugin${"" | "_net" | "_tcp"}${"" | "_run"}`;

interface Rule {
  name: SyscallName;
  tests?: readonly ArgTest[];
  /** A later rule of the same call decides when a test fails. */
  orLater?: true;
}

const CLONE_THREAD = 0x10000;
/** CLONE_NEWNS, and from CLONE_NEWCGROUP to CLONE_NEWNET. */
const CLONE_NAMESPACES = 0x7e020000;
const MSG_FASTOPEN = 0x20000000;
const O_PATH = 0x200000;
const O_TRUNC = 0x200;
/**
 * An O_PATH descriptor skips Landlock, and fstat then tells about any file. Older kernels let a
 * file be emptied that is opened for reading (0) only, not for writing (1, 2).
 */
const OPEN_FLAGS = { mask: O_PATH | O_TRUNC | 3, values: [0, 1, 2, O_TRUNC | 1, O_TRUNC | 2] };
const AT_EMPTY_PATH = 0x1000;
const PR_SET_SECCOMP = 22;

/** Calls with no path, no address and no other process in them. The hot ones come first. */
const COMMON: readonly SyscallName[] =
  ("futex read write recvfrom epoll_wait epoll_pwait epoll_ctl madvise munmap mprotect " +
    "mremap brk clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time close " +
    "readv writev pread64 pwrite64 preadv pwritev lseek fstat rt_sigaction rt_sigprocmask " +
    "rt_sigreturn sigaltstack restart_syscall set_robust_list set_tid_address rseq membarrier " +
    "sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max " +
    "sched_get_priority_min getpid gettid getppid getuid geteuid getgid getegid getcpu getrandom " +
    "getrusage times sysinfo uname getrlimit epoll_create1 epoll_pwait2 eventfd2 poll ppoll " +
    "select pselect6 pipe pipe2 dup dup2 dup3 recvmsg shutdown getsockopt setsockopt " +
    "getsockname getpeername setitimer getitimer alarm arch_prctl pkey_alloc pkey_free " +
    "pkey_mprotect umask getcwd exit exit_group").split(" ") as SyscallName[];

/** The runtime asks for its own path and panics without an answer; Deno's permissions guard links. */
const SCRIPT_ONLY: readonly SyscallName[] = ["readlink", "readlinkat"];

/** File calls on paths and descriptors that Landlock decides about. */
const FILES: readonly SyscallName[] =
  ("getdents getdents64 mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 " +
    "ftruncate fsync fdatasync flock fadvise64").split(" ") as SyscallName[];

/** Landlock does not see these; an interpreter needs them only to find its library. */
const PYTHON_START_ONLY: readonly SyscallName[] =
  "stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat execve prlimit64"
    .split(" ") as SyscallName[];

/** Landlock does not see all of these; Deno's permissions guard them for a plugin. */
const PLUGIN_FILES: readonly SyscallName[] =
  "stat lstat newfstatat statx access faccessat faccessat2 copy_file_range sendfile".split(
    " ",
  ) as SyscallName[];

const MAP_SHARED = 1;
const MAP_ANONYMOUS = 0x20;
const MAP_GROWSDOWN = 0x100;
/** No limit of the kernel's counts a mapping that grows like a stack. */
const NO_GROWING: Rule = { name: "mmap", tests: [{ arg: 3, mask: MAP_GROWSDOWN, values: [0] }] };
/** The limit of private memory does not count shared memory without a file either. */
const PRIVATE_MEMORY: Rule = {
  name: "mmap",
  tests: [{
    arg: 3,
    mask: MAP_GROWSDOWN | MAP_SHARED | MAP_ANONYMOUS,
    values: [MAP_ANONYMOUS, 0, MAP_SHARED],
  }],
};

/**
 * No Unix sockets (1): the file behind one is beyond Landlock. The resolver needs netlink (16).
 * No protocol but TCP (6) and UDP (17): Landlock knows no ports of MPTCP and the like.
 */
const PLUGIN_NET: readonly Rule[] = [
  { name: "socket", tests: [{ arg: 0, values: [2, 10, 16] }, { arg: 2, values: [0, 6, 17] }] },
  // Sending can connect as well, and Landlock does not look then.
  { name: "sendto", tests: [{ arg: 3, mask: MSG_FASTOPEN, values: [0] }] },
  { name: "sendmsg", tests: [{ arg: 2, mask: MSG_FASTOPEN, values: [0] }] },
  { name: "sendmmsg", tests: [{ arg: 3, mask: MSG_FASTOPEN, values: [0] }] },
  ...["connect", "bind", "recvmmsg"].map((name) => ({ name }) as Rule),
];

/** Streams (1) over TCP, and the kernel's list of addresses, which the resolver asks for. */
const PLUGIN_TCP: readonly Rule[] = [
  {
    name: "socket",
    tests: [
      { arg: 0, values: [2, 10] },
      { arg: 1, mask: 0xf, values: [1] },
      { arg: 2, values: [0, 6] },
    ],
    orLater: true,
  },
  { name: "socket", tests: [{ arg: 0, values: [16] }, { arg: 2, values: [0] }] },
  ...PLUGIN_NET.filter(({ name }) => name !== "socket"),
];

/** Nothing that leaves the process group, changes modes or owners: Landlock sees none of it. */
const PLUGIN_RUN: readonly Rule[] = [
  // A namespace of its own would make a program its administrator.
  { name: "clone", tests: [{ arg: 0, mask: CLONE_NAMESPACES, values: [0] }] },
  ...("sendmsg fork vfork execve wait4 waitid kill tgkill chdir fchdir getpgrp getpgid getsid getgroups " +
    "getresuid getresgid capget statfs fstatfs mincore").split(" ").map((name) =>
      ({ name }) as Rule
    ),
];

/** Calls allowed with some arguments only. */
function restricted(pid: number): Rule[] {
  return [
    // A destination address would reach another socket.
    { name: "sendto", tests: [{ arg: 4, null: true }] },
    { name: "clone", tests: [{ arg: 0, mask: CLONE_THREAD, values: [CLONE_THREAD] }] },
    { name: "tgkill", tests: [{ arg: 0, values: [pid] }] },
    // Reading limits only, and only the own ones.
    { name: "prlimit64", tests: [{ arg: 0, values: [0, pid] }, { arg: 2, null: true }] },
    // No F_SETOWN or F_SETSIG: they aim signals at other processes.
    { name: "fcntl", tests: [{ arg: 1, values: [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030] }] },
    // TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
    {
      name: "ioctl",
      tests: [{ arg: 1, values: [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451] }],
    },
    // asyncio wakes itself through a stream pair; it can reach no other process.
    { name: "socketpair", tests: [{ arg: 0, values: [1] }, { arg: 1, mask: 0xf, values: [1] }] },
  ];
}

function prctl(...operations: number[]): Rule {
  const names = [15, 16, 0x53564d41]; // PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
  return { name: "prctl", tests: [{ arg: 0, values: [...names, ...operations] }] };
}

function named(names: readonly SyscallName[]): Rule[] {
  return names.map((name) => ({ name }));
}

function pluginRules(profile: PluginProfile, rest: readonly Rule[]): Rule[] {
  return [
    ...(profile.includes("_net") ? PLUGIN_NET : []),
    ...(profile.includes("_tcp") ? PLUGIN_TCP : []),
    ...(profile.includes("_run") ? PLUGIN_RUN : []),
    // A program may need shared memory; with any number of processes no limit holds anyway.
    profile.includes("_run") ? NO_GROWING : PRIVATE_MEMORY,
    ...rest,
    ...named([...PLUGIN_FILES, ...SCRIPT_ONLY, "fallocate"]),
    prctl(),
  ];
}

/** The first rule of a call decides. */
function rulesOf(profile: FilterProfile, pid: number): Rule[] {
  const common = [...named(COMMON), ...restricted(pid)];
  if (profile === "script") return [...common, ...named(SCRIPT_ONLY), PRIVATE_MEMORY, prctl()];
  const files: Rule[] = [
    ...named(FILES),
    { name: "openat", tests: [{ arg: 2, ...OPEN_FLAGS }] },
    { name: "open", tests: [{ arg: 1, ...OPEN_FLAGS }] },
  ];
  if (profile.startsWith("plugin")) {
    return pluginRules(profile as PluginProfile, [...common, ...files]);
  }
  // Other modes take space that no limit and no size of a file tells of.
  const space: Rule = { name: "fallocate", tests: [{ arg: 1, values: [0] }] };
  // The interpreter's whole address space is limited, shared memory included.
  const interpreter = [...common, ...files, space, NO_GROWING];
  if (profile === "python_start") {
    return [...named(PYTHON_START_ONLY), ...interpreter, prctl(PR_SET_SECCOMP)];
  }
  // The C library's fstat() is newfstatat(fd, "", …, AT_EMPTY_PATH).
  const emptyPath = { arg: 3, mask: AT_EMPTY_PATH, values: [AT_EMPTY_PATH] };
  return [...interpreter, { name: "newfstatat", tests: [emptyPath] }, prctl()];
}

const RET_KILL = 0x80000000;
const REFUSE = refusal(1); // EPERM
const UNKNOWN = refusal(38); // ENOSYS
/** From here on numbers are shared by all architectures and new: a library must fall back. */
const FIRST_UNIFIED = 424;

function compileRule(rule: Rule, number: number): Instruction[] {
  let body: Instruction[] = [[RETURN, 0, 0, RET_ALLOW]];
  const tests = rule.tests ?? [];
  // A body that does not return puts the number back that the next rule looks at.
  if (rule.orLater) body.push([LOAD, 0, 0, DATA_NUMBER]);
  else if (tests.length > 0) body.push([RETURN, 0, 0, REFUSE]);
  for (const test of tests.toReversed()) body = [...compileTest(test, body.length - 1), ...body];
  return [[JUMP_EQUAL, 0, body.length, number], ...body];
}

/** The BPF program of a profile, as the bytes of `struct sock_filter[]`. */
export function compileFilter(
  profile: FilterProfile,
  target: { arch: Arch; pid: number },
): Uint8Array<ArrayBuffer> {
  const program: Instruction[] = [
    [LOAD, 0, 0, DATA_ARCH],
    [JUMP_EQUAL, 1, 0, AUDIT_ARCH[target.arch]],
    [RETURN, 0, 0, RET_KILL],
    [LOAD, 0, 0, DATA_NUMBER],
  ];
  for (const rule of rulesOf(profile, target.pid)) {
    const number = SYSCALLS[rule.name][target.arch === "x86_64" ? 0 : 1];
    if (number >= 0) program.push(...compileRule(rule, number));
  }
  program.push([JUMP_GREATER_EQUAL, 0, 1, FIRST_UNIFIED]);
  program.push([RETURN, 0, 0, UNKNOWN], [RETURN, 0, 0, REFUSE]);
  return assemble(program);
}
