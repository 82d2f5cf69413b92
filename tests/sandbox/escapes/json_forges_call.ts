/** Changes the call that the bootstrap sends into one that is not for scripts. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { stringify } = JSON;
JSON.stringify = (value, ...rest) =>
  stringify(value?.t === "call" ? { ...value, tool: "execute_code", args: { code: "1" } } : value, ...rest);
const { read_file } = await import("hermes_tools");
const answer = await read_file({ path: "x" });
JSON.stringify = stringify;
return answer?.error ? undefined : stringify(answer);`,
  python: () =>
    `import hermes_tools
answer = hermes_tools._call("execute_code", {"code": "1"})
return None if "error" in answer else answer`,
});
