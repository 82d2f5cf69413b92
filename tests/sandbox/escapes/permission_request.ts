/** Asks for the permissions back. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `for (const name of ["read", "write", "net", "run", "env", "ffi", "sys", "import"]) {
  await Deno.permissions.request({ name });
}
return Deno.readTextFileSync(${literal(w.secretFile)});`,
});
