/** Declares an import map and imports through it. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { register, registerHooks } = await import("node:module");
registerHooks?.({ resolve: (specifier, context, next) => next(specifier === "alias" ? "file://" + ${
      literal(w.secretModule)
    } : specifier, context) });
register?.("data:text/javascript,", "file:///");
return (await import("ali" + "as")).k;`,
});
