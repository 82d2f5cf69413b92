/** Reads whatever file the bootstrap may have left open. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { readSync } = await import("node:fs");
const buffer = new Uint8Array(100);
for (let descriptor = 3; descriptor < 256; descriptor++) {
  try {
    const count = readSync(descriptor, buffer, 0, 100, 0);
    if (count > 0) return descriptor + new TextDecoder().decode(buffer.subarray(0, count));
  } catch { /* nothing there, or no file */ }
}`,
  python: () =>
    `import os
for descriptor in range(3, 256):
    try:
        text = os.pread(descriptor, 100, 0)
        if text:
            return str(descriptor) + repr(text)
    except OSError:
        pass`,
});
