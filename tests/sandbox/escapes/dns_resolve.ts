/** Asks a name server, which carries data out. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () => `return (await Deno.resolveDns("localhost", "A")).join();`,
  python: () =>
    `import socket
return socket.gethostbyname("example.com")`,
});
