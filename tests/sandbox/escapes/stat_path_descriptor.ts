/** Opens a path-only descriptor, which path rules do not see, and asks that. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: (w) =>
    `import os
fd = os.open(${literal(w.secretFile)}, os.O_PATH)
return os.fstat(fd).st_size`,
});
