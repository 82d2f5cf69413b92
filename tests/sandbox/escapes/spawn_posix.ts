/** Starts a program without fork. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os
return os.posix_spawn("/bin/true", ["true"], {})`,
});
