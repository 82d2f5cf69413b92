import assert from "node:assert/strict";
import { compileFilter, type FilterProfile } from "./seccomp.ts";
import { answers, both, type Call, judge as judgeBy } from "../../../tests/support/bpf.ts";
import type { Arch, SyscallName } from "../../process/launcher/syscalls_data.ts";

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const KILL = 0x80000000;
const PID = 4711;

function judge(profile: FilterProfile, arch: Arch, call: Call): number {
  return judgeBy(compileFilter(profile, { arch, pid: PID }), arch, call);
}

function answer(
  profile: FilterProfile,
  name: SyscallName,
  args: (number | bigint)[] = [],
): Record<string, number> {
  return answers((arch) => compileFilter(profile, { arch, pid: PID }), name, args);
}

Deno.test("compileFilter() gives a script no path, process or socket", () => {
  for (const name of ["openat", "execve", "statx", "mkdirat", "unlinkat"] as const) {
    assert.deepEqual(answer("script", name), both(EPERM), name);
  }
  for (const name of ["read", "write", "futex", "mmap", "exit_group"] as const) {
    assert.deepEqual(answer("script", name), both(ALLOW), name);
  }
});

Deno.test("compileFilter() looks at arguments where the call alone does not tell", () => {
  assert.deepEqual(answer("script", "clone", [0x3d0f00]), both(ALLOW));
  assert.deepEqual(answer("script", "clone", [17]), both(EPERM));
  assert.deepEqual(answer("script", "tgkill", [PID, PID, 6]), both(ALLOW));
  assert.deepEqual(answer("script", "tgkill", [PID + 1, PID + 1, 6]), both(EPERM));
  assert.deepEqual(answer("script", "sendto", [5, 1, 1, 0, 0]), both(ALLOW));
  assert.deepEqual(answer("script", "sendto", [5, 1, 1, 0, 1n << 40n]), both(EPERM));
  assert.deepEqual(answer("script", "prlimit64", [0, 2, 0, 1]), both(ALLOW));
  assert.deepEqual(answer("script", "prlimit64", [0, 2, 1, 0]), both(EPERM));
  assert.deepEqual(answer("script", "prlimit64", [1, 2, 0, 1]), both(EPERM));
  assert.deepEqual(answer("script", "fcntl", [3, 8, 1]), both(EPERM), "F_SETOWN");
  assert.deepEqual(answer("script", "ioctl", [0, 0x5412]), both(EPERM), "TIOCSTI");
  assert.deepEqual(answer("script", "socketpair", [1, 0x80801]), both(ALLOW));
  assert.deepEqual(answer("script", "socketpair", [1, 2]), both(EPERM), "datagrams");
  assert.deepEqual(answer("script", "prctl", [15]), both(ALLOW));
  assert.deepEqual(answer("script", "prctl", [4]), both(EPERM));
});

Deno.test("compileFilter() takes from a running interpreter what its start needed", () => {
  for (const name of ["execve", "readlinkat", "faccessat"] as const) {
    assert.deepEqual(answer("python_start", name), both(ALLOW), name);
    assert.deepEqual(answer("python", name), both(EPERM), name);
  }
  assert.deepEqual(answer("python_start", "newfstatat", [-1n & 0xffffffffn, 1, 1, 0]), both(ALLOW));
  assert.deepEqual(answer("python", "newfstatat", [3, 1, 1, 0]), both(EPERM));
  assert.deepEqual(answer("python", "newfstatat", [3, 1, 1, 0x1000]), both(ALLOW));
  assert.deepEqual(answer("python", "openat", [0, 1, 0]), both(ALLOW));
  assert.deepEqual(answer("python", "openat", [0, 1, 0x200000]), both(EPERM), "O_PATH");
  assert.deepEqual(answer("python_start", "prctl", [22]), both(ALLOW));
  assert.deepEqual(answer("python", "prctl", [22]), both(EPERM));
  assert.deepEqual(answer("python_start", "prlimit64", [0, 2, 1, 0]), both(ALLOW));
  assert.deepEqual(answer("python", "prlimit64", [0, 2, 1, 0]), both(EPERM));
});

Deno.test("compileFilter() refuses unknown, new and foreign calls", () => {
  for (const arch of ["x86_64", "aarch64"] as const) {
    const sockets = { x86_64: 41, aarch64: 198 }[arch];
    assert.equal(judge("script", arch, { number: sockets, args: [1, 1, 0] }), EPERM);
    assert.equal(judge("script", arch, { number: 435 }), ENOSYS, "clone3 falls back to clone");
    assert.equal(judge("script", arch, { number: 425 }), ENOSYS, "io_uring");
    assert.equal(judge("script", arch, { number: 0, audit: 0x40000003 }), KILL);
  }
  assert.equal(judge("script", "x86_64", { number: 0x40000000 }), ENOSYS, "x32");
});

Deno.test("compileFilter() refuses a plugin what Landlock does not see", () => {
  const net = "plugin_net_run";
  const [stream, fast] = [1, 0x20000000];
  assert.deepEqual(answer(net, "socket", [2, stream, 6]), both(ALLOW));
  assert.deepEqual(answer(net, "socket", [2, stream, 262]), both(EPERM), "MPTCP");
  assert.deepEqual(answer(net, "sendto", [3, 1, 1, 0, 1]), both(ALLOW));
  assert.deepEqual(answer(net, "sendto", [3, 1, 1, fast, 1]), both(EPERM), "Fast Open");
  assert.deepEqual(answer(net, "sendmsg", [3, 1, fast]), both(EPERM), "Fast Open");
  assert.deepEqual(answer(net, "sendmmsg", [3, 1, 1, fast]), both(EPERM), "Fast Open");
  assert.deepEqual(answer(net, "clone", [17]), both(ALLOW));
  assert.deepEqual(answer(net, "clone", [0x10000011]), both(EPERM), "a user namespace");
  assert.deepEqual(answer(net, "openat", [0, 1, 0x241]), both(ALLOW), "writing anew");
  assert.deepEqual(answer(net, "openat", [0, 1, 0x200]), both(EPERM), "emptying while reading");
  assert.deepEqual(answer("python", "openat", [0, 1, 0x200]), both(EPERM));
});

Deno.test("compileFilter() refuses memory that no limit counts", () => {
  const [shared, privately, anonymous, growing] = [1, 2, 0x20, 0x100];
  for (const profile of ["script", "plugin", "plugin_net"] as const) {
    assert.deepEqual(answer(profile, "mmap", [0, 9, 3, privately | anonymous]), both(ALLOW));
    assert.deepEqual(answer(profile, "mmap", [0, 9, 3, privately]), both(ALLOW), "a library");
    assert.deepEqual(answer(profile, "mmap", [0, 9, 3, shared]), both(ALLOW), "a database");
    assert.deepEqual(answer(profile, "mmap", [0, 9, 3, shared | anonymous]), both(EPERM));
    assert.deepEqual(answer(profile, "mmap", [0, 9, 3, 3 | anonymous]), both(EPERM), "validated");
  }
  for (const profile of ["script", "python", "plugin", "plugin_run"] as const) {
    const flags = privately | anonymous | growing;
    assert.deepEqual(answer(profile, "mmap", [0, 9, 3, flags]), both(EPERM), profile);
  }
  assert.deepEqual(answer("python", "fallocate", [3, 0, 0, 9]), both(ALLOW));
  assert.deepEqual(answer("python", "fallocate", [3, 1, 0, 9]), both(EPERM), "beyond the end");
});

Deno.test("compileFilter() lets no descriptor be hidden in a message", () => {
  for (const name of ["sendmsg", "sendmmsg"] as const) {
    assert.deepEqual(answer("script", name), both(EPERM), name);
    assert.deepEqual(answer("python", name), both(EPERM), name);
  }
});

Deno.test("compileFilter() gives programs of a narrow plugin streams only", () => {
  const [stream, datagram, cloexec] = [1, 2, 0x80000];
  for (const domain of [2, 10]) {
    assert.deepEqual(
      answer("plugin_tcp_run", "socket", [domain, stream | cloexec, 6]),
      both(ALLOW),
    );
    for (const type of [datagram, datagram | cloexec, 3, 5, 6, 10]) {
      for (const protocol of [0, 6, 17, 132, 136]) {
        const said = answer("plugin_tcp_run", "socket", [domain, type, protocol]);
        assert.deepEqual(said, both(EPERM), `${type} ${protocol}`);
      }
    }
    assert.deepEqual(answer("plugin_net_run", "socket", [domain, datagram, 17]), both(ALLOW));
    assert.deepEqual(answer("plugin_run", "socket", [domain, stream, 6]), both(EPERM));
  }
  assert.deepEqual(answer("plugin_tcp_run", "socket", [16, 3, 0]), both(ALLOW), "addresses");
  assert.deepEqual(answer("plugin_tcp_run", "socket", [16, 3, 6]), both(EPERM));
  assert.deepEqual(answer("plugin_tcp_run", "socket", [1, stream, 0]), both(EPERM), "Unix");
  assert.deepEqual(answer("plugin_tcp_run", "bind"), both(ALLOW), "rules behind it still count");
});
