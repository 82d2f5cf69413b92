/** Looks for what the runtime left on the global object. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const core = globalThis.__bootstrap?.core ?? Deno.core;
return core?.ops.op_fs_read_file_text_sync(${literal(w.secretFile)});`,
});
