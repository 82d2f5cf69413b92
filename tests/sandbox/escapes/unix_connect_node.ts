/** Connects to another Unix socket through Node. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { connect } = await import("node:net");
return await new Promise((resolve, reject) => {
  connect(${literal(w.unixSocket)}, () => resolve("connected")).on("error", reject);
});`,
});
