/** Takes built-in modules from the process object. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return process.getBuiltinModule("node:fs").readFileSync(${literal(w.secretFile)}, "utf8");`,
});
