/** Evaluates code through a debugger session of its own. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { Session } = await import("node:inspector");
const session = new Session();
session.connect();
const post = (method, params) => new Promise((resolve, reject) =>
  session.post(method, params, (error, result) => error ? reject(error) : resolve(result)));
await post("Runtime.enable");
const expression = "Deno.readTextFileSync(" + JSON.stringify(${literal(w.secretFile)}) + ")";
const { result } = await post("Runtime.evaluate", { expression, includeCommandLineAPI: true });
return result.subtype === "error" ? undefined : result.value;`,
  python: () =>
    `import sys
frame = sys._getframe()
while frame:
    for name, value in frame.f_locals.items():
        if name in ("token", "libc"):
            return name
    frame = frame.f_back`,
});
