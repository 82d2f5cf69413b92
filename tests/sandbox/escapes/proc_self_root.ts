/** Goes through the own root and working directory links. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `return Deno.readTextFileSync("/proc/self/root" + ${literal(w.secretFile)});`,
  python: (w) => `return open("/proc/self/root" + ${literal(w.secretFile)}).read()`,
});
