/** Looks for something to read on standard input. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const buffer = new Uint8Array(10);
return Deno.stdin.readSync(buffer) || undefined;`,
  python: () =>
    `import sys
return sys.stdin.read() or None`,
});
