/** Connects with TLS and with HTTP/2. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const tls = await import("node:tls");
const http2 = await import("node:http2");
const tries = [
  () => tls.connect({ host: "127.0.0.1", port: ${w.tcpPort} }),
  () => http2.connect("http://127.0.0.1:${w.tcpPort}"),
];
for (const start of tries) {
  try {
    const connection = start();
    const gained = await new Promise((resolve) => {
      connection.on("connect", () => resolve("connected")).on("error", () => resolve());
      setTimeout(resolve, 300);
    });
    if (gained) return gained;
  } catch { /* refused */ }
}`,
});
