/** Runs forged machine code by way of the code cache of a script. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { Script } = await import("node:vm");
const victim = "globalThis.answer = 1;";
const forged = new Script("Deno.readTextFileSync;".padEnd(victim.length)).createCachedData();
new Script(victim, { cachedData: forged }).runInThisContext();
return globalThis.answer === 1 ? undefined : String(Deno.readTextFileSync(${
      literal(w.secretFile)
    }));`,
  python: (w) =>
    `import marshal, types
code = compile("open(" + repr(${literal(w.secretFile)}) + ").read()", "os.py", "eval")
return eval(marshal.loads(marshal.dumps(code)))`,
});
