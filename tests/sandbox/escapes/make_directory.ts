/** Makes a directory outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.mkdirSync(${literal(w.victim)} + "/planted");
return "made";`,
  python: (w) =>
    `import os
os.mkdir(${literal(w.victim)} + "/planted")
return "made"`,
});
