/** Calls functions of the engine that are not part of the language. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { setFlagsFromString } = await import("node:v8");
setFlagsFromString("--allow-natives-syntax");
setFlagsFromString("--no-sandbox-testing");
setFlagsFromString("--expose-internals");
const natives = ["%DebugPrint({})", "%SystemBreak()", "%ConstructInternalizedString('x')"];
try { (0, eval)(natives[0]); } catch { /* no such syntax */ }
return typeof globalThis.internalBinding === "function" ? "internals" : undefined;`,
  python: () =>
    `import sys
sys.setrecursionlimit(1 << 30)
return sys._clear_type_cache() or None`,
});
