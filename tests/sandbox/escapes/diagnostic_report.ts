/** Writes a diagnostic report outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { default: process } = await import("node:process");
return process.report.writeReport(${literal(w.victim)} + "/planted") || undefined;`,
});
