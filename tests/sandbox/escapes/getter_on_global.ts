/** Waits on the global object for what the bootstrap puts there. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const found = [];
for (const key of [Symbol.for("hermes.call"), Symbol.for("hermes.channel")]) {
  if (globalThis[key]) return String(key);
  Object.defineProperty(globalThis, key, { set: (value) => found.push(value), get: () => found[0], configurable: true });
}
await new Promise((resolve) => setTimeout(resolve, 20));
return found[0] && "taken";`,
});
