/** Lists a directory outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return [...Deno.readDirSync(${literal(w.directory)})].map((entry) => entry.name).join();`,
  python: (w) =>
    `import os
return os.listdir(${literal(w.directory)})`,
});
