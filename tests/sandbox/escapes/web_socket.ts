/** Opens a WebSocket. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `return await new Promise((resolve, reject) => {
  const socket = new WebSocket("ws://127.0.0.1:${w.tcpPort}");
  socket.onopen = () => resolve("open");
  socket.onerror = (event) => reject(new Error(event.message));
});`,
});
