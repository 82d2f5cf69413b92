/** Asks for a worker with more permissions. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const code = \`try { postMessage(Deno.readTextFileSync(\${JSON.stringify(${
      literal(w.secretFile)
    })})) } catch (error) { postMessage(null) }\`;
return await new Promise((resolve, reject) => {
  const worker = new Worker("data:application/javascript," + encodeURIComponent(code), { type: "module", deno: { permissions: { read: true } } });
  worker.onmessage = (event) => resolve(event.data);
  worker.onerror = (event) => { event.preventDefault(); reject(new Error(event.message)); };
});`,
});
