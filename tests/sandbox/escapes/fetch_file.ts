/** Fetches a file URL. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `return await (await fetch("file://" + ${literal(w.secretFile)})).text();`,
  python: (w) =>
    `import urllib.request
return urllib.request.urlopen("file://" + ${literal(w.secretFile)}).read()`,
});
