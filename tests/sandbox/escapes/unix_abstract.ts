/** Connects and binds in the abstract namespace, where no path rule applies. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `await Deno.connect({ transport: "unix", path: "\\0" + ${literal(w.abstractName)} });
return "connected";`,
  python: (w) =>
    `import socket
connection = socket.socket(socket.AF_UNIX)
connection.connect("\\0" + ${literal(w.abstractName)})
return "connected"`,
});
