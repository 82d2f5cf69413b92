/** Reads a file outside from a Node worker. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { Worker: NodeWorker } = await import("node:worker_threads");
return await new Promise((resolve, reject) => {
  const code = \`const { parentPort } = require("node:worker_threads"); parentPort.postMessage(require("node:fs").readFileSync(\${JSON.stringify(${
      literal(w.secretFile)
    })}, "utf8"))\`;
  const worker = new NodeWorker(code, { eval: true });
  worker.on("message", resolve);
  worker.on("error", reject);
});`,
});
