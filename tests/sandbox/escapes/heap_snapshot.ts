/** Writes a heap snapshot outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { writeHeapSnapshot } = await import("node:v8");
return writeHeapSnapshot(${literal(w.victim)} + "/planted");`,
  python: (w) =>
    `import faulthandler
faulthandler.dump_traceback(open(${literal(w.victim)} + "/planted", "w"))
return "written"`,
});
