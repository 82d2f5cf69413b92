/** Loads a program into the kernel. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "bpf",
  "init_module",
  "finit_module",
  "delete_module",
  "kexec_load",
  "kexec_file_load",
]);
