/** Imports a package from the registry or the cache. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Object.keys(await import("npm:" + "zod@4.6.7")).length;`,
  python: () =>
    `import sys
sys.path += ["/usr/lib/python3/dist-packages", "/usr/local/lib/python3/dist-packages"]
import pip`,
});
