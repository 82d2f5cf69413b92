/** Sets an extended attribute outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: (w) =>
    `import os
os.setxattr(${literal(w.victim)} + "/keep.txt", "user.x", b"x")
return "changed"`,
});
