/** Signals the agent by calls other than kill. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "kill",
  "tkill",
  "rt_sigqueueinfo",
  "rt_tgsigqueueinfo",
  "pidfd_send_signal",
]);
