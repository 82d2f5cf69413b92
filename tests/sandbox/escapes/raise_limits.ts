/** Raises the own limits again. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import resource
resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, 1 << 40))
return "raised"`,
});
