/** Opens an event stream. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return await new Promise((resolve, reject) => {
  const source = new EventSource("http://127.0.0.1:${w.tcpPort}/");
  source.onopen = () => resolve("open");
  source.onerror = () => reject(new Error("refused"));
});`,
});
