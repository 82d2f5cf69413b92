/** Goes through the thread's entry instead of the process's. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return Deno.readTextFileSync("/proc/thread-self/root" + ${literal(w.secretFile)});`,
  python: (w) => `return open("/proc/thread-self/root" + ${literal(w.secretFile)}).read()`,
});
