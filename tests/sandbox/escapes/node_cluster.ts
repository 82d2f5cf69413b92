/** Starts workers through the cluster module. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { default: cluster } = await import("node:cluster");
return cluster.fork().process.pid;`,
});
