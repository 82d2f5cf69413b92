/** Lets the kernel signal the agent when a descriptor is ready. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import fcntl, os, signal
read, write = os.pipe()
fcntl.fcntl(read, 10, signal.SIGUSR2)
fcntl.fcntl(read, fcntl.F_SETOWN, os.getppid())
fcntl.fcntl(read, fcntl.F_SETFL, os.O_ASYNC)
os.write(write, b"x")
return "signalled"`,
});
