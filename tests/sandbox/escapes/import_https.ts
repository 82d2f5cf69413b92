/** Imports a module from a host that is allowed by default. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Object.keys(await import("https://deno.land/" + "std/version.ts")).length;`,
});
