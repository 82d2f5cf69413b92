/** Fetches through another Unix socket as proxy. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const client = Deno.createHttpClient({ proxy: { transport: "unix", path: ${
      literal(w.unixSocket)
    } } });
return (await fetch("http://localhost/", { client })).status;`,
  python: (w) =>
    `import http.client, socket
connection = http.client.HTTPConnection("localhost")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect(${literal(w.unixSocket)})
connection.request("GET", "/")
return "sent"`,
});
