/** Switches on a trace that is written to a file. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { createTracing } = await import("node:trace_events");
createTracing({ categories: ["node.fs.sync", "v8"] }).enable();
return undefined;`,
  python: (w) =>
    `import trace
trace.Trace(outfile=${literal(w.victim)} + "/planted").runfunc(abs, 1)
trace.CoverageResults(outfile=${literal(w.victim)} + "/planted").write_results(coverdir=${
      literal(w.victim)
    })
return "written"`,
});
