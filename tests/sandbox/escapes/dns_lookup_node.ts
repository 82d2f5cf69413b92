/** Asks the system resolver through Node. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { lookup } = await import("node:dns/promises");
return (await lookup("example.com")).address;`,
  python: () =>
    `import socket
return socket.getaddrinfo("example.com", 80)`,
});
