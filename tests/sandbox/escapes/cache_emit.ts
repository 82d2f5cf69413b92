/** Changes the translation of a module of the agent. */
import { testEnv } from "../../support/hermes.ts";
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const path = ${literal(`${testEnv("/").DENO_DIR}/gen/file${w.projectRoot}/main.ts.js`)};
Deno.writeTextFileSync(path, ${literal(w.poison)}, { append: true });
return path;`,
  python: (w) =>
    `path = ${literal(`${testEnv("/").DENO_DIR}/gen/file${w.projectRoot}/main.ts.js`)}
open(path, "a").write(${literal(w.poison)})
return path`,
});
