/** Loads an extension into the database. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { DatabaseSync } = await import("node:sqlite");
new DatabaseSync(":memory:", { allowExtension: true }).loadExtension(${literal(w.secretFile)});
return "loaded";`,
  python: (w) =>
    `import sqlite3
database = sqlite3.connect(":memory:")
database.enable_load_extension(True)
database.load_extension(${literal(w.secretFile)})
return "loaded"`,
});
