/** Switches on a trace that is written to a file. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { createTracing } = await import("node:trace_events");
createTracing({ categories: ["node.fs.sync", "v8"] }).enable();
return undefined;`,
  python: (w) =>
    `import trace
tracer = trace.Trace(outfile=${literal(w.victim)} + "/planted")
tracer.runfunc(abs, 1)
tracer.results().write_results(coverdir=${literal(w.victim)})
return None`,
});
