/** Opens a second connection to the agent. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `await Deno.connect({ transport: "unix", path: "../rpc" });
return "connected";`,
  python: () =>
    `import socket
connection = socket.socket(socket.AF_UNIX)
connection.connect("../rpc")
return "connected"`,
});
