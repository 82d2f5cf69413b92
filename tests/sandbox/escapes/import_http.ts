/** Imports a module over HTTP. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return Object.keys(await import("http://127.0.0.1:${w.tcpPort}/" + "mod.ts")).length;`,
});
