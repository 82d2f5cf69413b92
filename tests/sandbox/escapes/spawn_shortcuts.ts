/** Starts a program in the ways that need no `Deno.Command`. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const args = ["-c", "echo x > " + ${literal(w.victim)} + "/planted"];
const tries = [
  () => Deno.spawnAndWaitSync("/bin/sh", { args }),
  () => Deno.spawnAndWaitSync("/bin/sh", args),
  () => Deno.spawn("/bin/sh", args),
  () => Deno.run({ cmd: ["/bin/sh", ...args] }),
];
for (const start of tries) {
  try {
    start();
    return "started";
  } catch { /* refused */ }
}`,
});
