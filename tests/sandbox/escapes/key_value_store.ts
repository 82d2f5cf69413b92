/** Opens the key-value store. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `await Deno.openKv(${literal(w.victim)} + "/planted");
return "opened";`,
  python: (w) =>
    `import dbm
dbm.open(${literal(w.victim)} + "/planted", "c")
return "opened"`,
});
