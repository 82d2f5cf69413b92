/** Talks to the host of a virtual machine. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const connection = await Deno.connect({ transport: "vsock", cid: 2, port: ${w.tcpPort} });
return connection && "connected";`,
  python: () =>
    `import socket
found = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
return "opened"`,
});
