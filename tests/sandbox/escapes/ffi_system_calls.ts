/** Makes system calls that cross process borders, from native code. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const libc = Deno.dlopen("libc.so.6", { syscall: { parameters: Array(7).fill("i64"), result: "i64" } });
const arm = Deno.build.arch === "aarch64";
const calls = {
  ptrace: arm ? [117, 16, Deno.ppid] : [101, 16, Deno.ppid],
  kill: arm ? [129, Deno.ppid, 12] : [62, Deno.ppid, 12],
  tgkill: arm ? [131, Deno.ppid, Deno.ppid, 12] : [234, Deno.ppid, Deno.ppid, 12],
  unshare: arm ? [97, 0x10000000] : [272, 0x10000000],
  fork: arm ? [220, 17] : [57],
  socket: arm ? [198, 2, 1, 0] : [41, 2, 1, 0],
  uring: [425, 1, 0],
  pidfd: [434, Deno.ppid, 0],
  memfd: arm ? [279, 0, 0] : [319, 0, 0],
  bpf: arm ? [280, 0, 0, 0] : [321, 0, 0, 0],
  keyctl: arm ? [219, 0, -3, 0] : [250, 0, -3, 0],
  userfault: arm ? [282, 0] : [323, 0],
  fanotify: arm ? [262, 0, 0] : [300, 0, 0],
  inotify: arm ? [26, 0] : [294, 0],
  setsid: arm ? [157] : [112],
  x32: arm ? [1000] : [0x40000000 + 41, 2, 1, 0],
};
const through = Object.entries(calls).filter(([, args]) =>
  libc.symbols.syscall(...args.map(BigInt), ...Array(7 - args.length).fill(0n)) >= 0n
);
return through.map(([name]) => name).join() || undefined;`,
});
