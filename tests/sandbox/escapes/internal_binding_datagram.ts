/** Sends a datagram through a handle. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { UDP, SendWrap } = process.binding("udp_wrap");
const udp = new UDP();
const bound = udp.bind?.("127.0.0.1", 0, 0);
const request = new SendWrap();
request.address = "127.0.0.1";
request.port = ${w.udpPort};
request.oncomplete = () => {};
const sent = udp.send?.(request, [new Uint8Array([1])], 1, ${w.udpPort}, "127.0.0.1", false);
return bound === 0 && sent >= 0 ? "sent" : undefined;`,
});
