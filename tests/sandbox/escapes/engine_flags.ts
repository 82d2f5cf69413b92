/** Switches engine flags that write files. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { setFlagsFromString } = await import("node:v8");
setFlagsFromString("--logfile=" + ${literal(w.victim)} + "/planted");
setFlagsFromString("--log-all");
setFlagsFromString("--prof");
for (let i = 0; i < 1e5; i++) Math.sqrt(i);
return undefined;`,
});
