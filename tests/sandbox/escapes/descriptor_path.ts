/** Opens descriptors again by their paths. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `for (let fd = 0; fd < 64; fd++) {
  for (const path of ["/dev/fd/" + fd, "/proc/self/fd/" + fd, "/proc/self/fdinfo/" + fd]) {
    try {
      using file = Deno.openSync(path, { read: true });
      return path + file.readSync(new Uint8Array(16));
    } catch { /* refused */ }
  }
}`,
  python: () =>
    `import os
for fd in range(3, 64):
    for path in (f"/dev/fd/{fd}", f"/proc/self/fd/{fd}", f"/proc/self/fdinfo/{fd}"):
        try:
            return path + str(os.open(path, os.O_RDWR))
        except OSError:
            pass`,
});
