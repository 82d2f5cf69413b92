/** Takes more memory through WebAssembly than it may. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const kept = [];
try {
  while (kept.length < 12) {
    const memory = new WebAssembly.Memory({ initial: 1024, maximum: 1024 });
    new Uint8Array(memory.buffer).fill(1);
    kept.push(memory);
  }
} catch { /* the limit */ }
return kept.length === 12 ? "768 MB" : undefined;`,
});
