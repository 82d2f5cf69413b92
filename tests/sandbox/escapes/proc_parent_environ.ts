/** Reads the agent's environment. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Deno.readTextFileSync("/proc/" + Deno.ppid + "/environ");`,
  python: () =>
    `import os
return open(f"/proc/{os.getppid()}/environ").read()`,
});
