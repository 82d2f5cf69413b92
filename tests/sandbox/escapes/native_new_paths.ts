/** Makes links, devices and attributes of files. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "mknodat",
  "linkat",
  "symlinkat",
  "fchmod",
  "fchmodat",
  "fchown",
  "fchownat",
  "utimensat",
  "truncate",
  "setxattr",
  "lsetxattr",
  "fsetxattr",
  "removexattr",
]);
