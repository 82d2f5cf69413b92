/** Uses a file that the agent was started with and passes on without knowing. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { readSync } = await import("node:fs");
const { Socket } = await import("node:net");
const buffer = new Uint8Array(100);
try {
  readSync(${w.descriptor}, buffer, 0, 100, 0);
  return new TextDecoder().decode(buffer);
} catch { /* refused */ }
return await new Promise((resolve, reject) => {
  new Socket({ fd: ${w.descriptor} }).on("data", resolve).on("error", reject);
});`,
  python: (w) =>
    `import os
return os.pread(${w.descriptor}, 100, 0)`,
});
