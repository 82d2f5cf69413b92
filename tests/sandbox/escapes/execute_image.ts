/** Replaces the own program. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `process.execve?.("/bin/true", ["true"], {});`,
  python: () =>
    `import os
os.execv("/bin/true", ["true"])`,
});
