/** Runs after everything else has been collected. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { setFlagsFromString } = await import("node:v8");
setFlagsFromString("--expose-gc");
const found = [];
const registry = new FinalizationRegistry((held) => { try { found.push(Deno.readTextFileSync(held)); } catch { /* refused */ } });
(() => { registry.register({}, ${literal(w.secretFile)}); })();
const { runInNewContext } = await import("node:vm");
runInNewContext("gc")?.();
await new Promise((resolve) => setTimeout(resolve, 20));
return found[0];`,
  python: (w) =>
    `import gc, weakref
class Held: pass
found = []
held = Held()
def late(_):
    try:
        found.append(open(${literal(w.secretFile)}).read())
    except OSError:
        pass
reference = weakref.ref(held, late)
del held
gc.collect()
return found[0] if found else None`,
});
