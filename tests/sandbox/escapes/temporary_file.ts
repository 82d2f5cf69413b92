/** Makes a file in the shared temporary directory. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Deno.makeTempFileSync();`,
  python: () =>
    `import tempfile
return tempfile.NamedTemporaryFile(dir="/tmp").name`,
});
