/** Makes itself outlive the agent and visible to debuggers. */
import { defineAttempt } from "../_attempt.ts";
import { PYTHON_CALLS } from "../_native.ts";

export const attempt = defineAttempt({
  python: () =>
    `${PYTHON_CALLS}
for operation in ((1, 0), (4, 1), (0x59616d61, -1), (35, 0), (22, 0), (8, 1), (28, 0), (36, 1)):
    answer, error = call(157, 167, *operation, 0, 0, 0)
    if answer >= 0:
        return operation`,
});
