/** Asks for size and times of a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `return Deno.statSync(${literal(w.secretFile)}).size;`,
  python: (w) =>
    `import os
return os.stat(${literal(w.secretFile)}).st_size`,
});
