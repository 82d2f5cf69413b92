/** Climbs out of the scratch directory with dots. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return Deno.readTextFileSync("../".repeat(12) + ${literal(w.secretFile)}.slice(1));`,
  python: (w) => `return open("../" * 12 + ${literal(w.secretFile)}[1:]).read()`,
});
