/** Reads a file outside on a thread of the runtime. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `return await Deno.readTextFile(${literal(w.secretFile)});`,
  python: (w) =>
    `import asyncio
async def read():
    return await asyncio.to_thread(lambda: open(${literal(w.secretFile)}).read())
return asyncio.run(read())`,
});
