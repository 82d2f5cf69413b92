/** Reads a file outside through Node's promises. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { readFile } = await import("node:fs/promises");
return await readFile(${literal(w.secretFile)}, "utf8");`,
  python: (w) =>
    `import pathlib
return pathlib.Path(${literal(w.secretFile)}).read_text()`,
});
