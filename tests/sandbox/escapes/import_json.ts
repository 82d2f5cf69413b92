/** Imports a JSON file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return (await import("file://" + ${
      literal(w.secretJson)
    }, { with: { type: "json" } })).default.k;`,
});
