/** Reads a file outside through Node. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { readFileSync } = await import("node:fs");
return readFileSync(${literal(w.secretFile)}, "utf8");`,
  python: (w) =>
    `import io
return io.open_code(${literal(w.secretFile)}).read()`,
});
