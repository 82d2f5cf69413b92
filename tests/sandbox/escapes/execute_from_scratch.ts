/** Writes a program into scratch and runs it. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os
open("program", "w").write("#!/bin/sh\\n")
os.chmod("program", 0o755)
os.execv("program", ["program"])`,
});
