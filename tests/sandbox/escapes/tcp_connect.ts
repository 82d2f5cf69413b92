/** Connects to a port of this machine. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `await Deno.connect({ hostname: "127.0.0.1", port: ${w.tcpPort} });
return "connected";`,
  python: (w) =>
    `import socket
socket.create_connection(("127.0.0.1", ${w.tcpPort}), timeout=1)
return "connected"`,
});
