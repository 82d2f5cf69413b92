/** Imports any file outside as bytes. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return (await import("file://" + ${
      literal(w.secretFile)
    }, { with: { type: "bytes" } })).default.length;`,
});
