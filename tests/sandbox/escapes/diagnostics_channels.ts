/** Subscribes to what the runtime publishes about itself. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { subscribe } = await import("node:diagnostics_channel");
const heard = [];
for (const name of ["net.client.socket", "http.client.request.start", "child_process", "worker_threads", "tracing:module.import:start"]) {
  subscribe(name, (message) => heard.push(message));
}
const { read_file } = await import("hermes_tools");
await read_file({ path: "x" });
return heard[0] && JSON.stringify(heard[0]);`,
  python: () =>
    `import sys
heard = []
sys.addaudithook(lambda event, args: heard.append((event, args)))
import hermes_tools
hermes_tools.read_file("x")
return next((one for one in heard if "token" in str(one)), None)`,
});
