/** Imports the agent's own module that loads its configuration. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return Object.keys(await import("file://" + ${
      literal(w.projectRoot)
    } + "/src/config/load.ts")).join();`,
  python: (w) =>
    `import sys
sys.path.insert(0, ${literal(w.projectRoot)})
return open(${literal(w.projectRoot)} + "/main.ts").read()`,
});
