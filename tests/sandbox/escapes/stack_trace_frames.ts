/** Takes objects of the bootstrap from the frames of an error. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const found = [];
Error.stackTraceLimit = 100;
Error.prepareStackTrace = (_, frames) => {
  for (const frame of frames) found.push(frame.getThis(), frame.getFunction());
  return "";
};
const { read_file } = await import("hermes_tools");
await read_file(5).catch((error) => error.stack);
await read_file({ path: "x", get y() { new Error().stack; return 1; } });
return found.find((value) => value?.send || value?.token || value?.serve);`,
  python: () =>
    `import hermes_tools, sys
try:
    hermes_tools.read_file(object())
except Exception as error:
    trace = error.__traceback__
    while trace:
        if "token" in trace.tb_frame.f_locals:
            return "token"
        trace = trace.tb_next`,
});
