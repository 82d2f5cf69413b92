/** Binds and connects in the abstract namespace. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `await Deno.connect({ transport: "unix", path: "\\0/tmp/.X11-unix/X0" });
return "connected";`,
  python: () =>
    `import socket
connection = socket.socket(socket.AF_UNIX)
connection.bind("\\0escape")
return "bound"`,
});
