/** Reads the own environment from the kernel. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Deno.readTextFileSync("/proc/self/environ") || "empty";`,
  python: () => `return open("/proc/self/environ").read() or "empty"`,
});
