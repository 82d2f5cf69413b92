/** Learns and resolves more than its own address. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const found = [import.meta.filename, import.meta.dirname].find((value) => value !== undefined);
if (found !== undefined) return found;
return (await import(import.meta.resolve("file://" + ${literal(w.secretModule)}))).k;`,
});
