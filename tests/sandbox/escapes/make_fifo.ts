/** Makes a named pipe outside, and one in scratch. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { execFileSync } = await import("node:child_process");
execFileSync("mkfifo", [${literal(w.victim)} + "/planted"]);
return "made";`,
  python: () =>
    `import os
os.mkfifo("pipe")
return "made"`,
});
