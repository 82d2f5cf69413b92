/** Sends an HTTP request through Node. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { get } = await import("node:http");
return await new Promise((resolve, reject) => {
  get("http://127.0.0.1:${w.tcpPort}/", (response) => resolve(response.statusCode)).on("error", reject);
});`,
});
