/** Forks. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os
if os.fork() == 0:
    os._exit(0)
return "forked"`,
});
