import { deepEqual, equal, ok } from "node:assert/strict";
import { answers, ARCHES, both, judge } from "../../../tests/support/bpf.ts";
import { type SyscallName, SYSCALLS } from "../../process/launcher/syscalls_data.ts";
import { commandFilter, type SocketRules } from "./command_filter.ts";

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const ENETDOWN = 0x00050064;

const NETWORKS = ["any", "tcp", "none"] as const;
const OPEN: SocketRules = { network: "any", unix: true };
const ALL: SocketRules[] = NETWORKS.flatMap((network) =>
  [true, false].map((unix) => ({ network, unix }))
);

function answer(name: SyscallName, args: (number | bigint)[] = [], rules = OPEN) {
  return answers((arch) => commandFilter(rules, arch), name, args);
}

/** The same number on each architecture that has the call. */
function wherever(name: SyscallName, value: number): Record<string, number> {
  const found = ARCHES.filter((_, i) => SYSCALLS[name][i]! >= 0).map((arch) => [arch, value]);
  return Object.fromEntries(found);
}

/** By what they reach; the filter has its own list. */
const REFUSED: Readonly<Record<string, readonly SyscallName[]>> = {
  "another view of the system": [
    ...["mount", "umount2", "open_tree", "open_tree_attr", "move_mount", "fsopen"] as const,
    ...["fsconfig", "fsmount", "fspick", "mount_setattr", "pivot_root", "chroot"] as const,
    ...["unshare", "setns", "open_by_handle_at", "fanotify_init"] as const,
  ],
  "other processes": [
    ...["kcmp", "pidfd_getfd", "process_madvise", "process_mrelease"] as const,
    ...["migrate_pages", "move_pages", "perf_event_open"] as const,
  ],
  "the kernel and the machine": [
    ...["bpf", "userfaultfd", "keyctl", "add_key", "request_key", "kexec_load"] as const,
    ...["kexec_file_load", "init_module", "finit_module", "delete_module", "reboot"] as const,
    ...["swapon", "swapoff", "acct", "settimeofday", "clock_settime", "adjtimex"] as const,
    ...["clock_adjtime", "iopl", "ioperm", "syslog", "quotactl", "quotactl_fd"] as const,
    ...["sethostname", "setdomainname", "vhangup", "nfsservctl", "lookup_dcookie"] as const,
    "uselib",
  ],
};

Deno.test("commandFilter() refuses what reaches beyond a command, whatever its sockets", () => {
  for (const rules of ALL) {
    for (const [what, names] of Object.entries(REFUSED)) {
      for (const name of names) {
        deepEqual(answer(name, [], rules), wherever(name, EPERM), `${what}: ${name}`);
      }
    }
    for (
      const name of ["clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"] as const
    ) {
      deepEqual(answer(name, [], rules), both(ENOSYS), name);
    }
  }
});

Deno.test("commandFilter() allows every other call that it knows", () => {
  const judged = new Set<SyscallName>([
    ...Object.values(REFUSED).flat(),
    ...["clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"] as const,
    ...["clone", "prlimit64", "ioctl", "socket"] as const,
  ]);
  for (const name of Object.keys(SYSCALLS) as SyscallName[]) {
    if (judged.has(name)) continue;
    for (const rules of ALL) deepEqual(answer(name, [], rules), wherever(name, ALLOW), name);
  }
  // Debuggers and profilers of the own tree; Landlock keeps them out of others.
  for (const name of ["ptrace", "process_vm_readv", "kill", "pidfd_open"] as const) {
    deepEqual(answer(name, [1234]), both(ALLOW), name);
  }
});

Deno.test("commandFilter() allows numbers that nobody has named yet", () => {
  for (const arch of ARCHES) {
    for (const number of [500, 999, 0x3fffffff]) {
      equal(judge(commandFilter(OPEN, arch), arch, { number }), ALLOW, `${arch} ${number}`);
    }
  }
});

Deno.test("commandFilter() gives programs of another architecture nothing", () => {
  const foreign = { "x86_64": [0x40000003, 0xc00000b7], "aarch64": [0x40000028, 0xc000003e] };
  for (const arch of ARCHES) {
    const filter = commandFilter(OPEN, arch);
    for (const audit of foreign[arch]) {
      for (const number of [0, 1, 63, 64, 165, 221]) {
        equal(judge(filter, arch, { number, audit }), EPERM, `${arch} ${audit} ${number}`);
      }
    }
  }
  const filter = commandFilter(OPEN, "x86_64");
  for (const number of [0, 1, 41, 165, 520, 0x3fffffff]) {
    const x32 = (0x40000000 + number) >>> 0;
    equal(judge(filter, "x86_64", { number: x32 }), ENOSYS, `${number}`);
  }
  equal(judge(filter, "x86_64", { number: 0xffffffff }), ENOSYS, "no call at all");
});

Deno.test("commandFilter() looks at flags: namespaces, limits of others, typing for others", () => {
  const [vfork, thread] = [0x4111, 0x3d0f00];
  for (const flags of [17, vfork, thread, thread | 0x80]) {
    deepEqual(answer("clone", [flags]), both(ALLOW), `${flags}`);
  }
  const namespaces = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000];
  for (const flag of namespaces) {
    deepEqual(answer("clone", [17 | flag]), both(EPERM), flag.toString(16));
    deepEqual(answer("clone", [(1n << 32n) | BigInt(17 | flag)]), both(EPERM));
  }
  deepEqual(answer("prlimit64", [0, 7, 1, 1]), both(ALLOW));
  deepEqual(answer("prlimit64", [1, 7, 1, 0]), both(EPERM));
  for (const request of [0x5401, 0x5413, 0x5414, 0x540e, 0x541b, 0x40049409]) {
    deepEqual(answer("ioctl", [0, request]), both(ALLOW), request.toString(16));
  }
  for (const request of [0x5412, 0x541c]) {
    deepEqual(answer("ioctl", [0, request]), both(EPERM), request.toString(16));
    // The kernel looks at half of it.
    deepEqual(answer("ioctl", [0, (1n << 32n) | BigInt(request)]), both(EPERM));
  }
});

const [UNIX, INET, INET6, NETLINK, PACKET, VSOCK, ALG, XDP] = [1, 2, 10, 16, 17, 40, 38, 44];
const [STREAM, DGRAM, RAW, SEQPACKET] = [1, 2, 3, 5];
const FLAGS = 0x80800;

Deno.test("commandFilter() makes sockets as the network setting says", () => {
  for (const rules of ALL) {
    const { network } = rules;
    const says = (family: number, type: number, protocol = 0) =>
      answer("socket", [family, type, protocol], rules);
    for (const family of [INET, INET6]) {
      const streams = network === "none" ? ENETDOWN : ALLOW;
      const rest = network === "any" ? ALLOW : ENETDOWN;
      for (const flags of [0, FLAGS]) {
        for (const protocol of [0, 6]) {
          deepEqual(says(family, STREAM | flags, protocol), both(streams));
        }
        for (const type of [DGRAM, RAW, SEQPACKET, 6, 10]) {
          for (const protocol of [0, 6, 17, 132, 136, 255]) {
            deepEqual(says(family, type | flags, protocol), both(rest), `${network} ${type}`);
          }
        }
        // MPTCP, SCTP: Landlock does not see their ports.
        for (const protocol of [132, 262]) {
          deepEqual(says(family, STREAM | flags, protocol), both(rest));
        }
      }
    }
    const named = rules.unix ? ALLOW : ENETDOWN;
    for (const type of [STREAM, DGRAM, SEQPACKET]) deepEqual(says(UNIX, type | FLAGS), both(named));
    deepEqual(answer("socketpair", [UNIX, STREAM], rules), both(ALLOW), "pairs");
    deepEqual(says(NETLINK, RAW), both(ALLOW), "interfaces and routes");
    for (const protocol of [6, 9, 12, 15, 16]) {
      deepEqual(says(NETLINK, RAW, protocol), both(ENETDOWN), "other parts of the kernel");
    }
    for (const family of [PACKET, VSOCK, ALG, XDP, 0, 3, 31, 46]) {
      deepEqual(says(family, STREAM), both(ENETDOWN), `family ${family}`);
    }
  }
});

Deno.test("commandFilter() lets no sending connect where only some ports are open", () => {
  const fast = 0x20000000;
  const sends = [["sendto", 3], ["sendmsg", 2], ["sendmmsg", 3]] as const;
  for (const rules of ALL) {
    for (const [name, at] of sends) {
      const args = (flags: number) => Array.from({ length: 4 }, (_, i) => i === at ? flags : 5);
      deepEqual(answer(name, args(0x4000), rules), both(ALLOW), name);
      const expected = rules.network === "tcp" ? EPERM : ALLOW;
      deepEqual(answer(name, args(fast | 0x4000), rules), both(expected), name);
    }
  }
});

Deno.test("commandFilter() stays small", () => {
  for (const arch of ARCHES) {
    for (const rules of ALL) ok(commandFilter(rules, arch).length / 8 < 400);
  }
});
