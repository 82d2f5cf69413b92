/** Reads a file by way of a blob. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { openAsBlob } = await import("node:fs");
return await (await openAsBlob(${literal(w.secretFile)})).text();`,
});
