/** Makes an HTTP client that listens to a proxy and a local address. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const client = Deno.createHttpClient({ localAddress: "127.0.0.1", proxy: { url: "http://127.0.0.1:${w.tcpPort}" } });
return (await fetch("http://example.invalid/", { client })).status;`,
  python: (w) =>
    `import urllib.request
opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": "http://127.0.0.1:${w.tcpPort}"}))
return opener.open("http://example.invalid/", timeout=1).status`,
});
