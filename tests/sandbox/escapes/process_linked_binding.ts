/** Loads native code through the process object. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const module = { exports: {} };
for (const load of [
  () => process._linkedBinding("fs"),
  () => process.dlopen(module, "/lib/x86_64-linux-gnu/libc.so.6"),
  () => process.dlopen(module, "libc.so.6", 2),
]) {
  try { load(); return "loaded"; } catch { /* refused */ }
}`,
});
