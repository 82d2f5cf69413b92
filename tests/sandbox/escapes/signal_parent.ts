/** Signals the agent. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `Deno.kill(Deno.ppid, "SIGUSR2");
return "signalled";`,
  python: () =>
    `import os, signal
os.kill(os.getppid(), signal.SIGUSR2)
return "signalled"`,
});
