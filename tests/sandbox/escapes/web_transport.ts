/** Opens a session of WebTransport. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const transport = new WebTransport("https://127.0.0.1:${w.tcpPort}/");
await transport.ready;
return "connected";`,
});
