/** Signals the agent through a process descriptor. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os, signal
signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGUSR2)
return "signalled"`,
});
