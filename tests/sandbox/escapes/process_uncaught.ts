/** Takes over what happens to errors, and lets the bootstrap fail. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const found = [];
process.setUncaughtExceptionCaptureCallback((error) => found.push(error));
process.on("uncaughtException", (error) => found.push(error));
process.emit("uncaughtException", new Error("mine"));
globalThis.dispatchEvent(new ErrorEvent("error", { error: { get stack() { found.push(this); throw this; } } }));
return found.find((value) => value?.send || value?.token);`,
});
