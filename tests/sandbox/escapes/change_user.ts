/** Becomes somebody else. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { default: process } = await import("node:process");
for (const name of ["setgid", "setuid", "setegid", "seteuid"]) {
  try {
    process[name](12345);
    return name;
  } catch { /* refused */ }
}`,
  python: () =>
    `import os
for change in [os.setgid, os.setuid, os.setegid, os.seteuid]:
    try:
        change(12345)
        return change.__name__
    except OSError:
        pass`,
});
