/** Listens in on the stub for the token. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const seen = [];
const stringify = JSON.stringify;
JSON.stringify = (value, ...rest) => { const text = stringify(value, ...rest); seen.push(text); return text; };
const encode = TextEncoder.prototype.encode;
TextEncoder.prototype.encode = function (text) { seen.push(text); return encode.call(this, text); };
const { read_file } = await import("hermes_tools");
await read_file({ path: "x" });
return seen.find((text) => String(text).includes("token"));`,
  python: () =>
    `import gc
return next((value for value in gc.get_objects() if isinstance(value, dict) and isinstance(value.get("token"), str)), None)`,
});
