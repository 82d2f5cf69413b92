/** Watches a directory outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { watch } = await import("node:fs");
watch(${literal(w.victim)}).close();
Deno.watchFs(${literal(w.victim)});
return "watching";`,
});
