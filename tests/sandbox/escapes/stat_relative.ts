/** Asks for a file outside by a relative path and lstat. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `return Deno.lstatSync("../".repeat(12) + ${literal(w.secretFile)}).size;`,
  python: (w) =>
    `import pathlib
return pathlib.Path("../" * 12 + ${literal(w.secretFile)}).lstat().st_size`,
});
