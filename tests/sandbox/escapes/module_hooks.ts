/** Puts its own answer before the question where a module lies. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { registerHooks } = await import("node:module");
const url = "file://" + ${literal(w.secretModule)};
registerHooks({
  resolve: (specifier, context, next) => specifier === "data:,secret"
    ? { url, format: "module", shortCircuit: true }
    : next(specifier, context),
});
return (await import("data:,secret")).k;`,
});
