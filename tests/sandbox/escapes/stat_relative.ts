/** Asks for a file outside by a relative path and lstat. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return Deno.lstatSync("../../" + ${
      literal(w.secretFile)
    }.split("/").slice(2).join("/")).size;`,
  python: (w) =>
    `import pathlib
return pathlib.Path("../../..", ${literal(w.secretFile)}[1:]).lstat().st_size`,
});
