/** Lets the runtime write reports about itself. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `process.report.directory = ${literal(w.victim)};
process.report.filename = "planted";
process.report.reportOnUncaughtException = true;
process.report.writeReport();
return undefined;`,
  python: (w) =>
    `import faulthandler
faulthandler.enable(open(${literal(w.victim)} + "/planted", "w"))
return "enabled"`,
});
