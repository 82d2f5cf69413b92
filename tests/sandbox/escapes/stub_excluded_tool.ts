/** Calls a tool that is not for scripts, past the stub. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { UnixConn } = Deno;
let connection;
const proto = Object.getPrototypeOf(Object.getPrototypeOf(connection ?? {})) ?? {};
const { read_file } = await import("hermes_tools");
const stringify = JSON.stringify;
JSON.stringify = (value, ...rest) => stringify(value?.t === "call" ? { ...value, tool: "execute_code" } : value, ...rest);
const result = await read_file({ path: "x" });
return result.error ? undefined : stringify(result);`,
  python: () =>
    `import hermes_tools
result = hermes_tools._call("execute_code", {"code": "1"})
return None if "error" in result else result`,
});
