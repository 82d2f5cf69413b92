/** Changes the machine. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "reboot",
  "sethostname",
  "setdomainname",
  "swapon",
  "swapoff",
  "acct",
  "quotactl",
  "settimeofday",
  "clock_settime",
  "adjtimex",
  "clock_adjtime",
  "syslog",
  "vhangup",
]);
