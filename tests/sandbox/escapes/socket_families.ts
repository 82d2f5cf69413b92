/** Opens sockets of families that no permission knows. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import socket
opened = []
for family in (2, 10, 16, 17, 29, 31, 38, 40, 44):
    for kind in (1, 2, 3, 5):
        try:
            opened.append((family, kind, socket.socket(family, kind)))
        except OSError:
            pass
return opened or None`,
});
