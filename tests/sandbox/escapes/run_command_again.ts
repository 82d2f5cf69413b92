/** Starts the runtime itself again, with all permissions. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `return new Deno.Command(Deno.execPath(), { args: ["eval", "1"] }).outputSync().success;`,
  python: () =>
    `import subprocess, sys
return subprocess.run([sys.executable, "-c", "1"]).returncode == 0`,
});
