/** Changes the terminal of the person. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `Deno.stdin.setRaw(true);
return "raw";`,
  python: () =>
    `import os, termios
return termios.tcgetattr(os.open("/dev/tty", os.O_RDWR))`,
});
