/** Attaches a database outside to one in memory. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { DatabaseSync } = await import("node:sqlite");
const database = new DatabaseSync(":memory:");
database.exec("attach '" + ${literal(w.victim)} + "/planted' as x; create table x.a(b)");
return "attached";`,
  python: (w) =>
    `import sqlite3
database = sqlite3.connect(":memory:")
database.execute("attach '" + ${literal(w.victim)} + "/planted' as x")
database.execute("create table x.a(b)")
return "attached"`,
});
