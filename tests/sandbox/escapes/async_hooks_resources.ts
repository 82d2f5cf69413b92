/** Looks at every resource that the bootstrap waits for. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { createHook } = await import("node:async_hooks");
const resources = [];
createHook({ init: (id, type, trigger, resource) => resources.push(resource) }).enable();
const { read_file } = await import("hermes_tools");
await read_file({ path: "x" });
return resources.find((value) => value instanceof Deno.UnixConn || value?.token);`,
});
