/** Sends a datagram through Node's sockets. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { createSocket } = await import("node:dgram");
const socket = createSocket("udp4");
return await new Promise((resolve, reject) => {
  socket.on("error", reject);
  socket.send("x", ${w.udpPort}, "127.0.0.1", (error) => error ? reject(error) : resolve("sent"));
});`,
});
