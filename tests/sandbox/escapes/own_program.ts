/** Changes the program that the next child would begin with. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const main = new URL(Deno.mainModule);
const old = Deno.readTextFileSync(main);
Deno.writeTextFileSync(main, old + "//");
return "changed";`,
  python: () =>
    `import os
for folder in ("..", os.environ["TMPDIR"] + "/.."):
    for name in ("program/src/sandbox/child_main.js", "rpc", "launch"):
        try:
            return open(folder + "/" + name, "a")
        except OSError:
            pass`,
});
