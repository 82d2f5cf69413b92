/** Links a file outside into scratch. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.linkSync(${literal(w.secretFile)}, "hard");
return Deno.readTextFileSync("hard");`,
  python: (w) =>
    `import os
os.link(${literal(w.secretFile)}, "hard")
return open("hard").read()`,
});
