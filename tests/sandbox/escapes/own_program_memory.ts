/** Imports the bootstrap that is in memory already. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const found = [];
for (const name of ["./libc.js", "./child_main.js", "./src/sandbox/libc.js", "./src/cli/launcher.js", "./main.js"]) {
  await import(new URL(name, Deno.mainModule).href).then((module) => found.push(...Object.keys(module)), () => {});
}
return found.join() || undefined;`,
});
