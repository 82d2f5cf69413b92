/** Lets the bundler read a file. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const result = await Deno.bundle({ entrypoints: [${literal(w.secretModule)}], write: false });
return result.outputFiles?.[0]?.text();`,
  python: (w) =>
    `import py_compile
return py_compile.compile(${literal(w.secretPython)}, cfile=${
      literal(w.victim)
    } + "/planted", doraise=True)`,
});
