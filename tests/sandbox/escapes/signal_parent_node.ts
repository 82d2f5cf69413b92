/** Signals the agent through Node. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { kill, ppid } = await import("node:process");
kill(ppid, "SIGUSR2");
return "signalled";`,
  python: () =>
    `import os, signal
os.killpg(os.getpgid(os.getppid()), signal.SIGUSR2)
return "signalled"`,
});
