/** Runs a program from an anonymous file. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os
fd = os.memfd_create("x")
os.write(fd, b"#!/bin/sh\\n")
os.execve(fd, ["x"], {})`,
});
