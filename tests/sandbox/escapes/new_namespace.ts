/** Enters new namespaces, where it would be root. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os
if hasattr(os, "unshare"):
    os.unshare(0x10000000)
    return "entered"
os.setns(0)`,
});
