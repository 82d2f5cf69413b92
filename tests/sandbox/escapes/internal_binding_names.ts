/** Asks for addresses through the binding under node:dns. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { GetAddrInfoReqWrap, getaddrinfo, QueryReqWrap, ChannelWrap } = process.binding("cares_wrap");
const answers = [];
const request = new GetAddrInfoReqWrap();
request.oncomplete = (error, addresses) => { if (!error && addresses?.length) answers.push(addresses); };
try { getaddrinfo(request, "localhost", 4, 0, false); } catch { /* refused */ }
const query = new QueryReqWrap();
query.oncomplete = (error, found) => { if (!error) answers.push(found); };
try { new ChannelWrap(-1, 1).queryA(query, "localhost"); } catch { /* refused */ }
await new Promise((resolve) => setTimeout(resolve, 200));
return answers.length > 0 ? JSON.stringify(answers) : undefined;`,
  python: () =>
    `import _socket
return _socket.gethostbyname("example.invalid.") or _socket.getaddrinfo("127.0.0.1.nip.invalid", 1)`,
});
