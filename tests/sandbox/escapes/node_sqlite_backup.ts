/** Backs a database in memory up to a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { backup, DatabaseSync } = await import("node:sqlite");
const database = new DatabaseSync(":memory:");
database.exec("create table a(x)");
await backup(database, ${literal(w.victim)} + "/planted");
return "written";`,
  python: (w) =>
    `import sqlite3
target = sqlite3.connect(${literal(w.victim)} + "/planted")
sqlite3.connect(":memory:").backup(target)
return "written"`,
});
