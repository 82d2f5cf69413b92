/** Speaks QUIC, which needs no TCP. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const tries = [
  async () => new Deno.QuicEndpoint({ hostname: "127.0.0.1", port: 0 }).addr.port,
  async () => await Deno.connectQuic({ hostname: "127.0.0.1", port: ${w.udpPort}, alpnProtocols: ["h3"] }),
  async () => await new WebTransport("https://127.0.0.1:${w.udpPort}/").ready,
];
for (const start of tries) {
  try {
    const gained = await Promise.race([start(), new Promise((resolve) => setTimeout(resolve, 300))]);
    if (gained) return gained;
  } catch { /* refused */ }
}`,
});
