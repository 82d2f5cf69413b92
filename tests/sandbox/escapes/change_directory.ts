/** Changes into a directory outside and reads from there. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.chdir(${literal(w.directory)});
return Deno.readTextFileSync("secret.txt");`,
  python: (w) =>
    `import os
os.chdir(${literal(w.directory)})
return "changed"`,
});
