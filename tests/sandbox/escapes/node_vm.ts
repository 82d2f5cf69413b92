/** Runs code in another context. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const vm = await import("node:vm");
const code = "this.constructor.constructor('return Deno.readTextFileSync')()";
return vm.runInNewContext(code, { Deno })(${literal(w.secretFile)});`,
  python: (w) =>
    `import code
found = {}
interpreter = code.InteractiveInterpreter(found)
interpreter.runcode("text = open(" + repr(${literal(w.secretFile)}) + ").read()")
return found.get("text")`,
});
