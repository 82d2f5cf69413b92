/** Aims signals of a descriptor at the agent, and enlarges pipes. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import fcntl, os
out, into = os.pipe()
for operation, value in ((8, os.getppid()), (10, 12), (1031, 1 << 24), (1024, 1), (1026, 2)):
    try:
        fcntl.fcntl(into, operation, value)
        return operation
    except OSError:
        pass`,
});
