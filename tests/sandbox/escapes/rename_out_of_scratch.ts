/** Moves a file of scratch to the outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.writeTextFileSync("mine", "x");
Deno.renameSync("mine", ${literal(w.victim)} + "/planted");
return "moved";`,
  python: (w) =>
    `import os
open("mine", "w").close()
os.rename("mine", ${literal(w.victim)} + "/planted")
return "moved"`,
});
