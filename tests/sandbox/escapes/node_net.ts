/** Connects through Node's sockets. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { connect } = await import("node:net");
return await new Promise((resolve, reject) => {
  connect(${w.tcpPort}, "127.0.0.1", () => resolve("connected")).on("error", reject);
});`,
});
