/** Imports the agent's own module that knows every tool. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return Object.keys(await import("file://" + ${
      literal(w.projectRoot)
    } + "/src/registry/registry.ts")).join();`,
});
