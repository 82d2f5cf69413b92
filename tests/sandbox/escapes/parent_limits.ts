/** Takes the agent's resources away. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os, resource
return resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (16, 16))`,
});
