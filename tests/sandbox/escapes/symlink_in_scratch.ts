/** Makes a link in scratch that points outside and reads through it. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.symlinkSync(${literal(w.secretFile)}, "link");
return Deno.readTextFileSync("link");`,
  python: (w) =>
    `import os
os.symlink(${literal(w.secretFile)}, "link")
return open("link").read()`,
});
