/** Moves a file outside into scratch. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.renameSync(${literal(w.victim)} + "/keep.txt", "mine");
return "moved";`,
  python: (w) =>
    `import os
os.rename(${literal(w.victim)} + "/keep.txt", "mine")
return "moved"`,
});
