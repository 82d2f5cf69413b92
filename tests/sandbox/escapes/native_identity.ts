/** Becomes somebody else. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "setuid",
  "setgid",
  "setreuid",
  "setregid",
  "setresuid",
  "setresgid",
  "setfsuid",
  "setfsgid",
  "setgroups",
  "capset",
]);
