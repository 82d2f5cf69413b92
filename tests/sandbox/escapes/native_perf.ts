/** Watches other processes by performance counters. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt(["perf_event_open"]);
