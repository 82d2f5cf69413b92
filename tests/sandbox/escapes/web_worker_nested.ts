/** Reads a file outside from a worker that a worker started. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const read = "let text = null; try { text = Deno.readTextFileSync(" + JSON.stringify(${
      literal(w.secretFile)
    }) + ") } catch {} postMessage(text)";
const toUrl = (code) => "data:application/javascript," + encodeURIComponent(code);
const start = "const w = new Worker(" + JSON.stringify(toUrl(read)) + ", { type: 'module' }); w.onmessage = (e) => postMessage(e.data)";
return await new Promise((resolve, reject) => {
  const worker = new Worker(toUrl(start), { type: "module" });
  worker.onmessage = (event) => resolve(event.data);
  worker.onerror = (event) => { event.preventDefault(); reject(new Error(event.message)); };
});`,
});
