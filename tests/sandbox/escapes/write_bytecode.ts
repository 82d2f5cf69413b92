/** Plants a module in the interpreter's library. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os
open(os.path.dirname(os.__file__) + "/planted_by_test.py", "w").close()
return "planted"`,
});
