/** Maps a file outside into memory. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: (w) =>
    `import mmap, os
fd = os.open(${literal(w.secretFile)}, os.O_RDWR)
return mmap.mmap(fd, 0)[:]`,
});
