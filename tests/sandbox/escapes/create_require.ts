/** Requires a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { createRequire } = await import("node:module");
return createRequire("file:///tmp/")(${literal(w.secretJson)}).k;`,
  python: (w) =>
    `import runpy
return runpy.run_path(${literal(w.secretPython)})`,
});
