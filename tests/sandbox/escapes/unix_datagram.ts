/** Sends a datagram to another Unix socket through a socket pair. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: (w) =>
    `import socket
one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.sendto(b"x", ${literal(w.unixSocket)})
return "sent"`,
});
