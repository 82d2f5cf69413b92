/** Calls the runtime's own operations. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const internals = Deno[Deno.internal] ?? Deno[Symbol.for("Deno.internal")] ?? Deno[Object.getOwnPropertySymbols(Deno)[0]];
const { ops } = internals.core ?? globalThis.__bootstrap.core;
const read = ops.op_fs_read_file_text_sync ?? ops.op_fs_read_file_sync;
return String(read(${literal(w.secretFile)}));`,
});
