/** Makes descriptors of timers and signals. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["timerfd_create", "signalfd", "signalfd4", "timer_create"]);
