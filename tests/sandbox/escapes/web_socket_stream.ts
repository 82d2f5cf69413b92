/** Connects with a stream of WebSocket messages. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `await new WebSocketStream("ws://127.0.0.1:${w.tcpPort}/").opened;
return "connected";`,
});
