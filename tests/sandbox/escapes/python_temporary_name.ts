/** Plants a file in the directories others use for temporary files. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os, tempfile
for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", os.path.expanduser("~"), "/"):
    try:
        return tempfile.mkstemp(dir=folder)[1]
    except OSError:
        pass`,
});
