/** Finds something to steal in the module cache. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { default: module } = await import("node:module");
return Object.keys(module._cache ?? {}).find((key) => key.includes("hermes"));`,
  python: () =>
    `import sys
return next((name for name, module in sys.modules.items() if "token" in vars(module or object).keys() and name == "hermes_tools"), None)`,
});
