/** Opens a socket of an unusual family. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import socket
for family in (socket.AF_NETLINK, socket.AF_PACKET, socket.AF_INET6, 40):
    try:
        return socket.socket(family, socket.SOCK_RAW)
    except OSError:
        pass`,
});
