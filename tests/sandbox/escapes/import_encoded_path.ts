/** Imports a file outside by a URL that seems to stay inside: its slashes are encoded. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const inside = /file:\\/\\/\\S+\\/modules\\//.exec(new Error().stack)?.[0] ?? "file:///";
const out = "..%2f".repeat(30) + ${literal(w.secretModule.slice(1).replaceAll("/", "%2f"))};
return (await import(inside + out)).k;`,
});
