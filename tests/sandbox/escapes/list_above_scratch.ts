/** Lists the private directory that holds the socket. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return [...Deno.readDirSync("..")].map((entry) => entry.name).join();`,
  python: () =>
    `import os
return os.listdir("..")`,
});
