/** Takes more than its share of the processor. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "sched_setscheduler",
  "sched_setparam",
  "sched_setattr",
  "sched_setaffinity",
  "setpriority",
  "ioprio_set",
]);
