/** Asks the person through the terminal. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return prompt("password?") ?? (confirm("ok?") || undefined);`,
  python: () => `return input("password?")`,
});
