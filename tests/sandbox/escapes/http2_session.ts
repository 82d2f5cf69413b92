/** Connects with HTTP/2. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { connect } = await import("node:http2");
return await new Promise((resolve, reject) =>
  connect("http://127.0.0.1:${w.tcpPort}").on("connect", () => resolve("connected")).on("error", reject));`,
  python: (w) =>
    `import http.client
connection = http.client.HTTPConnection("127.0.0.1", ${w.tcpPort}, timeout=1)
connection.connect()
return "connected"`,
});
