/** Watches a directory outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `for await (const event of Deno.watchFs(${literal(w.victim)})) return event.kind;`,
  python: (w) =>
    `import os
return os.open(${literal(w.victim)}, os.O_RDONLY | os.O_DIRECTORY)`,
});
