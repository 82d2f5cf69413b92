/** Reads environment variables through Node. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { env } = await import("node:process");
return env.HOME ?? env.USER ?? env.SHELL;`,
  python: () =>
    `import posix
return posix.environ.get(b"PATH") or posix.environ.get(b"HOME")`,
});
