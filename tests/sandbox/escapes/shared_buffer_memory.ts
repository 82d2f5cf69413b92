/** Takes more memory through a growing shared buffer than it may. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const buffer = new SharedArrayBuffer(0, { maxByteLength: 768 << 20 });
for (let size = 64; size <= 768; size += 64) {
  buffer.grow(size << 20);
  new Uint8Array(buffer, (size - 64) << 20).fill(1);
}
return "768 MB";`,
  python: () =>
    `import mmap
kept = []
for _ in range(16):
    kept.append(mmap.mmap(-1, 64 << 20))
    for page in range(0, 64 << 20, 4096):
        kept[-1][page] = 1
return len(kept)`,
});
