/** Listens on a Unix socket. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `Deno.listen({ transport: "unix", path: "here" });
return "listening";`,
  python: () =>
    `import socket
listener = socket.socket(socket.AF_UNIX)
listener.bind("here")
return "bound"`,
});
