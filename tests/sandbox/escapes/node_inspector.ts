/** Opens the debugger. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const inspector = await import("node:inspector");
inspector.open(0, "127.0.0.1");
return inspector.url();`,
});
