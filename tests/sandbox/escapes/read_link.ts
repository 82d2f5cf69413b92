/** Reads where a symbolic link points. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  onlyPermissions: true,
  script: (w) => `return Deno.readLinkSync(${literal(w.directory)} + "/link");`,
  python: (w) =>
    `import os
return os.readlink(${literal(w.directory)} + "/link")`,
});
