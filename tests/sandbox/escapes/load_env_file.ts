/** Loads a file as variables of the environment. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { default: process } = await import("node:process");
process.loadEnvFile(${literal(w.secretPython)});
return process.env.k ?? "loaded";`,
});
