/** Writes a database outside from one in memory. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { DatabaseSync } = await import("node:sqlite");
const database = new DatabaseSync(":memory:");
database.exec("create table a(x); vacuum into '" + ${literal(w.victim)} + "/planted'");
return "written";`,
  python: (w) =>
    `import sqlite3
database = sqlite3.connect(":memory:", isolation_level=None)
database.execute("create table a(x)")
database.execute("vacuum into '" + ${literal(w.victim)} + "/planted'")
return "written"`,
});
