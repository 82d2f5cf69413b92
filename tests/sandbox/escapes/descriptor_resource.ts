/** Makes a file object of a resource number. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const bytes = new Uint8Array(64);
for (let rid = 0; rid < 64; rid++) {
  try {
    const file = Reflect.construct(Deno.FsFile, [rid, Symbol.for("Deno.internal")]);
    if (file.readSync(bytes) > 0) return new TextDecoder().decode(bytes);
  } catch { /* the constructor is private */ }
}`,
});
