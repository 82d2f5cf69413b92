/** Starts a REPL server with its own history file. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { default: repl } = await import("node:repl");
const server = repl.start({ prompt: "" });
await new Promise((resolve, reject) => server.setupHistory(${
      literal(w.victim)
    } + "/planted", (error) => error ? reject(error) : resolve()));
return undefined;`,
});
