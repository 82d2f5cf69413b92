/** Forks on a new terminal. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import pty
return pty.fork()`,
});
