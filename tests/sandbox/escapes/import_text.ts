/** Imports any file outside as text. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return (await import("file://" + ${
      literal(w.secretFile)
    }, { with: { type: "text" } })).default;`,
});
