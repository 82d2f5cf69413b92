/** Answers its own system calls by a listener. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "seccomp",
  "landlock_create_ruleset",
  "landlock_restrict_self",
]);
