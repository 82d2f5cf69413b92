/** Opens descriptors again by their paths. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `for (let fd = 3; fd < 64; fd++) {
  for (const path of ["/dev/fd/" + fd, "/proc/self/fd/" + fd, "/proc/self/fdinfo/" + fd]) {
    try {
      using file = Deno.openSync(path, { read: true });
      // A pipe is its own again; a file would be somebody's.
      if (file.statSync().isFile) return path;
    } catch { /* refused */ }
  }
}`,
  python: () =>
    `import os, stat
for fd in range(3, 64):
    for path in (f"/dev/fd/{fd}", f"/proc/self/fd/{fd}", f"/proc/self/fdinfo/{fd}"):
        try:
            if stat.S_ISREG(os.fstat(os.open(path, os.O_RDWR)).st_mode):
                return path
        except OSError:
            pass`,
});
