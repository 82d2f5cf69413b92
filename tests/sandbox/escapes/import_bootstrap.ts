/** Imports the bootstrap that it runs in, and starts it again. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const module = await import("file://" + ${literal(w.projectRoot)} + "/src/sandbox/libc.ts");
return module.openLibc().call.open(module.cString(${
      literal(w.secretFile)
    }), 0) >= 0 ? "opened" : undefined;`,
});
