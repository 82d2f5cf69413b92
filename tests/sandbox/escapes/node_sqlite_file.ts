/** Opens a database file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { DatabaseSync } = await import("node:sqlite");
new DatabaseSync(${literal(w.victim)} + "/planted").exec("create table a(x)");
return "created";`,
  python: (w) =>
    `import sqlite3
sqlite3.connect(${literal(w.victim)} + "/planted").execute("create table a(x)")
return "created"`,
});
