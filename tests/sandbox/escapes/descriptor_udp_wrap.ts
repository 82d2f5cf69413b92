/** Receives on every descriptor through a datagram handle that adopts its number. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { UDP } = process.binding("udp_wrap");`,
  script: `const udp = new UDP();
    if (udp.open?.(fd) === 0 && udp.bind?.("127.0.0.1", 0, 0) === 0) return "bound " + fd;`,
  python: `socket.socket(fileno=fd).sendto(b"x", ("127.0.0.1", 9)) or None`,
});
