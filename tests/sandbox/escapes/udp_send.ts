/** Sends a datagram. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { createSocket } = await import("node:dgram");
const socket = createSocket("udp4");
return await new Promise((resolve, reject) => {
  socket.on("error", reject);
  socket.send("x", ${w.udpPort}, "127.0.0.1", (error) => error ? reject(error) : resolve("sent"));
});`,
  python: (w) =>
    `import socket
return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", ${w.udpPort}))`,
});
