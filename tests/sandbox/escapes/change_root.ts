/** Makes another directory the root. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: (w) =>
    `import os
os.chroot(${literal(w.directory)})
return "changed"`,
});
