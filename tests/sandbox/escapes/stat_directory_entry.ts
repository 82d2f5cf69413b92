/** Lets a directory iterator ask for metadata. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `for (const entry of Deno.readDirSync(${literal(w.directory)})) return entry.name;`,
  python: (w) =>
    `import os
return [entry.stat().st_size for entry in os.scandir(${literal(w.directory)})]`,
});
