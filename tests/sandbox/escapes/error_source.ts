/** Makes the error printer show lines of a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const error = new Error("x");
error.stack = "Error: x\\n    at file://" + ${literal(w.secretFile)} + ":1:1";
Error.prepareStackTrace = undefined;
return Deno.inspect(error).includes(${literal(w.marker)}) ? "shown" : undefined;`,
  python: (w) =>
    `import linecache
return linecache.getline(${literal(w.secretFile)}, 1) or None`,
});
