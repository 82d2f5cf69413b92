/** Opens descriptors as databases. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { DatabaseSync } = await import("node:sqlite");
for (let fd = 3; fd < 64; fd++) {
  for (const path of ["/dev/fd/" + fd, "file:/proc/self/fd/" + fd + "?immutable=1"]) {
    try {
      return new DatabaseSync(path).prepare("SELECT name FROM sqlite_master").all().length + path;
    } catch { /* refused */ }
  }
}`,
  python: () =>
    `import sqlite3
for fd in range(3, 64):
    for path in (f"/dev/fd/{fd}", f"file:/proc/self/fd/{fd}?immutable=1"):
        try:
            return sqlite3.connect(path, uri=True).execute("SELECT name FROM sqlite_master").fetchall()
        except sqlite3.Error:
            pass`,
});
