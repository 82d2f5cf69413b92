/** Greets again with a token of its own. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { read_file } = await import("hermes_tools");
const stringify = JSON.stringify;
JSON.stringify = (value, ...rest) => stringify(value?.t === "call" ? { t: "hello", token: "0".repeat(32), walls: [] } : value, ...rest);
return await read_file({ path: "x" });`,
  python: () =>
    `import os
os.write(3, b'{"t":"hello","token":"0","walls":[]}\\n')
import hermes_tools
return hermes_tools.read_file("x").get("content")`,
});
