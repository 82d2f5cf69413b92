/** Opens paths by calls that are newer than the filter. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "openat2",
  "open_tree",
  "cachestat",
  "statmount",
  "listmount",
]);
