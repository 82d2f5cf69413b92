/** Imports the module of the bootstrap that reaches the C library, and opens a file with it. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const bootstrap = await import("file://" + ${literal(w.projectRoot)} + "/src/sandbox/libc.ts");
const file = { path: ${literal(w.secretFile)}, flags: 0 };
return bootstrap.openPath(bootstrap.openLibc(), file) >= 0 ? "opened" : undefined;`,
});
