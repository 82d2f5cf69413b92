/** Copies the agent's memory with a system call. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const libc = Deno.dlopen("libc.so.6", {
  process_vm_readv: { parameters: ["i32", "buffer", "usize", "buffer", "usize", "usize"], result: "isize" },
});
const target = new Uint8Array(8);
const local = new BigUint64Array([BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(target))), 8n]);
const remote = new BigUint64Array([0x400000n, 8n]);
const count = libc.symbols.process_vm_readv(Deno.ppid, new Uint8Array(local.buffer), 1n, new Uint8Array(remote.buffer), 1n, 0n);
return count > 0n ? "read" : undefined;`,
});
