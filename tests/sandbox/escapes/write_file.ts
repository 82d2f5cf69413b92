/** Creates a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.writeTextFileSync(${literal(w.victim)} + "/planted", "x");
return "written";`,
  python: (w) =>
    `open(${literal(w.victim)} + "/planted", "w").write("x")
return "written"`,
});
