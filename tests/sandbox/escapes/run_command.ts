/** Starts a program. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return new Deno.Command("/bin/sh", { args: ["-c", "echo x > " + ${
      literal(w.victim)
    } + "/planted"] }).outputSync().success;`,
  python: (w) =>
    `import subprocess
return subprocess.run(["/bin/sh", "-c", "echo x > " + ${
      literal(w.victim)
    } + "/planted"]).returncode == 0`,
});
