/** Empties a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.truncateSync(${literal(w.victim)} + "/keep.txt");
return "truncated";`,
  python: (w) =>
    `import os
os.truncate(${literal(w.victim)} + "/keep.txt", 0)
return "truncated"`,
});
