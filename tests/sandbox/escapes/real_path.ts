/** Resolves a path outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  onlyPermissions: true,
  script: (w) => `return Deno.realPathSync(${literal(w.directory)} + "/link");`,
  python: (w) =>
    `import os
return os.path.realpath(${literal(w.directory)} + "/link", strict=True)`,
});
