/** Fetches over HTTP. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) => `return (await fetch("http://127.0.0.1:${w.tcpPort}/")).status;`,
  python: (w) =>
    `import urllib.request
return urllib.request.urlopen("http://127.0.0.1:${w.tcpPort}/", timeout=1).status`,
});
