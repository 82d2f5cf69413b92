/** Imports a package from the other registry. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Object.keys(await import("jsr:" + "@std/path@1")).length;`,
});
