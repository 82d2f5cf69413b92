/** Asks the kernel to copy the agent's memory; only a bad address would mean that it would. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const libc = Deno.dlopen("libc.so.6", {
  process_vm_readv: { parameters: ["i32", "buffer", "usize", "buffer", "usize", "usize"], result: "isize" },
  __errno_location: { parameters: [], result: "pointer" },
});
const target = new Uint8Array(8);
const local = new BigUint64Array([BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(target))), 8n]);
const remote = new BigUint64Array([0x1000n, 8n]);
const [one, two] = [new Uint8Array(local.buffer), new Uint8Array(remote.buffer)];
libc.symbols.process_vm_readv(Deno.ppid, one, 1n, two, 1n, 0n);
const errno = new Deno.UnsafePointerView(libc.symbols.__errno_location()).getInt32();
return errno === 14 ? "would copy" : undefined;`,
});
