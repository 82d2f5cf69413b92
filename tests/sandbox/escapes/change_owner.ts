/** Changes the owner of a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.chownSync(${literal(w.victim)} + "/keep.txt", 12345, 12345);
return "changed";`,
  python: (w) =>
    `import os
os.chown(${literal(w.victim)} + "/keep.txt", 12345, 12345)
return "changed"`,
});
