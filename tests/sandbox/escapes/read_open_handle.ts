/** Opens a handle and reads through it. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `using file = await Deno.open(${literal(w.secretFile)});
return await new Response(file.readable).text();`,
  python: (w) =>
    `import os
fd = os.open(${literal(w.secretFile)}, os.O_RDONLY)
return os.read(fd, 100)`,
});
