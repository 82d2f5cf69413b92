/** Maps memory that no limit counts. */
import { defineAttempt } from "../_attempt.ts";
import { PYTHON_CALLS } from "../_native.ts";

export const attempt = defineAttempt({
  python: () =>
    `${PYTHON_CALLS}
libc.mmap.restype = ctypes.c_void_p
total = 0
for flags in (0x122, 0x21, 0x23, 0x28):
    for _ in range(64):
        address = libc.mmap(None, ctypes.c_size_t(64 << 20), 3, flags, -1, ctypes.c_long(0))
        if address in (None, ctypes.c_void_p(-1).value):
            break
        total += 64
return f"{total} MB" if total > 1024 else None`,
});
