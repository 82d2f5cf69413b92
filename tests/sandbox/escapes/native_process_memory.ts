/** Reads and changes the memory of the agent. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "process_vm_readv",
  "process_vm_writev",
  "process_madvise",
  "process_mrelease",
  "ptrace",
  "kcmp",
]);
