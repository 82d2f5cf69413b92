/** Opens the agent's memory. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Deno.openSync("/proc/" + Deno.ppid + "/mem", { read: true, write: true });`,
  python: () =>
    `import os
return open(f"/proc/{os.getppid()}/mem", "r+b")`,
});
