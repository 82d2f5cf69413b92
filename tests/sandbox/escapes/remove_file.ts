/** Removes a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.removeSync(${literal(w.victim)} + "/keep.txt");
return "removed";`,
  python: (w) =>
    `import os
os.remove(${literal(w.victim)} + "/keep.txt")
return "removed"`,
});
