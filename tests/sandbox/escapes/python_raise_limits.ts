/** Raises its limits by the call itself. */
import { defineAttempt } from "../_attempt.ts";
import { PYTHON_CALLS } from "../_native.ts";

export const attempt = defineAttempt({
  python: () =>
    `${PYTHON_CALLS}
limit = (ctypes.c_ulong * 2)(1 << 40, 1 << 40)
for resource in (1, 2, 3, 7, 9):
    for answer, _ in (call(302, 261, 0, resource, ctypes.byref(limit), 0), call(160, 164, resource, ctypes.byref(limit)), call(302, 261, os.getppid(), resource, ctypes.byref(limit), 0)):
        if answer == 0:
            return resource`,
});
