/** Runs machine code that looks for memory outside its own. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 32, 0, 40, 2, 0, 11]);
const { instance } = await WebAssembly.instantiate(bytes);
return instance.exports.f(0x7fffffff);`,
});
