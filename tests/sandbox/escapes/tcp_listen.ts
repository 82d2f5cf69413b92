/** Opens a port. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return Deno.listen({ port: 0 }).addr.port;`,
  python: () =>
    `import socket
return socket.create_server(("127.0.0.1", 0)).getsockname()`,
});
