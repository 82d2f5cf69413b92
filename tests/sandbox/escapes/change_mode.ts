/** Changes the mode of a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.chmodSync(${literal(w.victim)} + "/keep.txt", 0o777);
return "changed";`,
  python: (w) =>
    `import os
os.chmod(${literal(w.victim)} + "/keep.txt", 0o777)
return "changed"`,
});
