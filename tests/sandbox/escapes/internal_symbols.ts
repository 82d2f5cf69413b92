/** Finds the internals of the runtime behind symbols and prototypes. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const seen = new Set();
const waiting = [Deno, globalThis, navigator, performance, console, Deno.stdin, Deno.permissions];
while (waiting.length > 0 && seen.size < 5000) {
  const value = waiting.pop();
  if (value === null || !/^(object|function)$/.test(typeof value) || seen.has(value)) continue;
  seen.add(value);
  if (value.ops && value.print) return "the core";
  for (const key of Reflect.ownKeys(value)) {
    if (key === "prototype" || typeof key === "symbol" || value === Deno) {
      try { waiting.push(value[key]); } catch { /* a getter that minds */ }
    }
  }
  waiting.push(Object.getPrototypeOf(value));
}`,
});
