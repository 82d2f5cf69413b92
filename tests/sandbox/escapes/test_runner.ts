/** Lets the test runner start a file. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { run } = await import("node:test");
const events = [];
for await (const event of run({ files: [${literal(w.secretModule)}] })) events.push(event.type);
return events.includes("test:pass") ? events.join() : undefined;`,
  python: (w) =>
    `import doctest, runpy
return runpy.run_path(${literal(w.secretPython)})["k"]`,
});
