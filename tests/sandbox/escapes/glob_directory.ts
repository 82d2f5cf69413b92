/** Searches a directory outside with library helpers. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { globSync } = await import("node:fs");
return globSync(${literal(w.directory)} + "/*").join() || undefined;`,
  python: (w) =>
    `import glob
return glob.glob(${literal(w.directory)} + "/*") or None`,
});
