/** Imports a file outside from a script of another context. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const vm = await import("node:vm");
const script = new vm.Script("import(" + JSON.stringify("file://" + ${
      literal(w.secretModule)
    }) + ")", {
  importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
return (await script.runInThisContext()).k;`,
});
