/** Greets again with a token of its own. */
import { defineAttempt } from "../_attempt.ts";
import { FIND_SOCKET } from "../_sandbox.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { read_file } = await import("hermes_tools");
const stringify = JSON.stringify;
const hello = stringify({ t: "hello", token: "0".repeat(32), walls: [] });
JSON.stringify = (value, ...rest) => value?.t === "call" ? hello : stringify(value, ...rest);
return await read_file({ path: "x" });`,
  python: () =>
    `${FIND_SOCKET}
os.write(sock, b'{"t":"hello","token":"0","walls":[]}\\n')
import hermes_tools
return hermes_tools.read_file("x").get("content")`,
});
