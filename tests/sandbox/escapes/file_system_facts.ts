/** Asks about the file system that holds a directory outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { statfsSync } = await import("node:fs");
return statfsSync(${literal(w.victim)}).blocks;`,
  python: (w) =>
    `import os
return os.statvfs(${literal(w.victim)}).f_blocks`,
});
