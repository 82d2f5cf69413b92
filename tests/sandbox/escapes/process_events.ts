/** Hears what the runtime says to itself. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const heard = [];
for (const name of ["message", "internalMessage", "worker", "disconnect", "multipleResolves"]) {
  process.on(name, (...args) => heard.push(name, ...args));
}
process.send?.({ cmd: "NODE_CLUSTER" });
process.channel?.ref();
const { read_file } = await import("hermes_tools");
await read_file({ path: "x" });
return heard.join() || undefined;`,
});
