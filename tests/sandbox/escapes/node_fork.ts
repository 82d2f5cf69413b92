/** Forks a Node process on a module outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { fork } = await import("node:child_process");
return await new Promise((resolve, reject) => {
  fork(${
      literal(w.secretModule)
    }).on("error", reject).on("exit", (code) => code === 0 ? resolve("ran") : reject(new Error("exit " + code)));
});`,
  python: () =>
    `import multiprocessing
process = multiprocessing.get_context("fork").Process(target=print)
process.start()
return "started"`,
});
