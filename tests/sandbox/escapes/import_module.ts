/** Imports a module outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `return (await import("file://" + ${literal(w.secretModule)})).k;`,
  python: (w) =>
    `import sys
sys.path.insert(0, ${literal(w.directory)})
import secret
return secret.k`,
});
