/** Uses calls that nobody needs any more. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "uselib",
  "ustat",
  "sysfs",
  "lookup_dcookie",
  "iopl",
  "ioperm",
  "modify_ldt",
  "remap_file_pages",
]);
