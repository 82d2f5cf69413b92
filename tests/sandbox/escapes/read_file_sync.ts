/** Reads a file outside with the plainest call. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `return Deno.readTextFileSync(${literal(w.secretFile)});`,
  python: (w) => `return open(${literal(w.secretFile)}).read()`,
});
