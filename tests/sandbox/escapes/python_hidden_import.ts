/** Loads ctypes again and reads a file with it. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: (w) =>
    `import sys
for name in [name for name in sys.modules if name.split(".")[0] in ("ctypes", "_ctypes")]:
    del sys.modules[name]
import ctypes
libc = ctypes.CDLL(None)
fd = libc.open(${literal(w.secretFile)}.encode(), 0)
buffer = ctypes.create_string_buffer(64)
return buffer.value if fd >= 0 and libc.read(fd, buffer, 64) > 0 else None`,
});
