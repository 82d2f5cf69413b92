/** Starts a program through Node. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { execSync } = await import("node:child_process");
return String(execSync("id"));`,
  python: () =>
    `import os
return os.popen("id").read() or None`,
});
