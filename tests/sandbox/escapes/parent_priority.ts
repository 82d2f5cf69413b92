/** Slows the agent down. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { setPriority } = await import("node:os");
setPriority(Deno.ppid, 19);
return "changed";`,
  python: () =>
    `import os
os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
return "changed"`,
});
