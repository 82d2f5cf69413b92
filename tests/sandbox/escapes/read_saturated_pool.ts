/** Keeps every blocking thread busy, in case an old one is outside the walls. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const reads = Array.from({ length: 600 }, () => Deno.readTextFile(${
      literal(w.secretFile)
    }).catch(() => undefined));
return (await Promise.all(reads)).find((text) => text !== undefined);`,
  python: (w) =>
    `from concurrent.futures import ThreadPoolExecutor
def read(_):
    try:
        return open(${literal(w.secretFile)}).read()
    except OSError:
        return None
with ThreadPoolExecutor(16) as pool:
    return next((text for text in pool.map(read, range(200)) if text), None)`,
});
