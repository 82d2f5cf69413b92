/** Connects to another Unix socket. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `await Deno.connect({ transport: "unix", path: ${literal(w.unixSocket)} });
return "connected";`,
  python: (w) =>
    `import socket
connection = socket.socket(socket.AF_UNIX)
connection.connect(${literal(w.unixSocket)})
return "connected"`,
});
