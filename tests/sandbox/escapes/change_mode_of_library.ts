/** Changes the mode of a file that may be read, through its descriptor. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os
fd = os.open(os.__file__, os.O_RDONLY)
os.fchmod(fd, os.fstat(fd).st_mode & 0o7777)
return "changed"`,
});
