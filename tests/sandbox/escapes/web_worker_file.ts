/** Uses a file outside as a worker's module. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return await new Promise((resolve, reject) => {
  const worker = new Worker("file://" + ${literal(w.secretModule)}, { type: "module" });
  setTimeout(() => resolve("loaded"), 500);
  worker.onerror = (event) => { event.preventDefault(); reject(new Error(event.message)); };
});`,
});
