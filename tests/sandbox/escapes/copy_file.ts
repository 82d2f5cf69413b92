/** Copies a secret to where it could be read. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { copyFileSync, cpSync } = await import("node:fs");
const [from, to] = [${literal(w.secretFile)}, ${literal(w.victim)} + "/planted"];
for (const copy of [Deno.copyFileSync, copyFileSync, cpSync]) {
  try {
    copy(from, to);
    return "copied";
  } catch { /* refused */ }
}`,
  python: (w) =>
    `import shutil
shutil.copyfile(${literal(w.secretFile)}, "copy")
return open("copy").read()`,
});
