/** Takes what the bootstrap waits for from a promise. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const found = [];
const { then } = Promise.prototype;
Promise.prototype.then = function (...args) {
  found.push(this, ...args);
  return then.apply(this, args.map((one) => typeof one !== "function" ? one : (value) => { found.push(value); return one(value); }));
};
const { read_file } = await import("hermes_tools");
await read_file({ path: "x" });
Promise.prototype.then = then;
return found.find((value) => value instanceof Deno.UnixConn || value?.token || value?.ffi);`,
});
