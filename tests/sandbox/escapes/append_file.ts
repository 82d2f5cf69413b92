/** Appends to a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.writeTextFileSync(${literal(w.victim)} + "/keep.txt", "x", { append: true });
return "written";`,
  python: (w) =>
    `open(${literal(w.victim)} + "/keep.txt", "a").write("x")
return "written"`,
});
