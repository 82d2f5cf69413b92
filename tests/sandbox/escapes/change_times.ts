/** Changes the times of a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.utimeSync(${literal(w.victim)} + "/keep.txt", 1, 1);
return "changed";`,
  python: (w) =>
    `import os
os.utime(${literal(w.victim)} + "/keep.txt", (1, 1))
return "changed"`,
});
