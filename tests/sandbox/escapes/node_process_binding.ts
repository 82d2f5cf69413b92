/** Takes internal bindings from the process object. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { default: process } = await import("node:process");
const fs = process.binding("fs");
return fs.open?.(${literal(w.secretFile)}, 0, 0);`,
});
