/** Reads environment variables of the agent. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `return ["HOME", "USER", "SHELL", "LANG", "PWD"].map((name) => Deno.env.get(name)).find(Boolean);`,
  python: () =>
    `import os
return os.environ.get("HOME") or os.environ.get("USER") or os.environ.get("PATH")`,
});
