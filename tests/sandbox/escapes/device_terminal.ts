/** Opens the terminal and standard input by name. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Deno.openSync("/dev/tty", { read: true, write: true });`,
  python: () => `return open("/dev/tty", "r+")`,
});
