/** Reads the user database. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { userInfo } = await import("node:os");
return userInfo().homedir;`,
  python: () =>
    `import pwd
return pwd.getpwuid(0).pw_dir`,
});
