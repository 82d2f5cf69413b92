/** Uses the bindings under Node's modules to connect and look up names. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { TCP, TCPConnectWrap, constants } = process.binding("tcp_wrap");
const answers = [];
const tcp = new TCP(constants.SOCKET);
const request = new TCPConnectWrap();
request.oncomplete = (status) => answers.push(status);
if (tcp.connect(request, "127.0.0.1", ${w.tcpPort}) === 0) answers.push("begun");
const server = new TCP(constants.SERVER);
if (server.bind("127.0.0.1", 0) === 0 && server.listen(1) === 0) return "listening";
await new Promise((resolve) => setTimeout(resolve, 100));
return answers.includes(0) ? "connected" : undefined;`,
  python: (w) =>
    `import _socket
found = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
found.connect(("127.0.0.1", ${w.tcpPort}))
return found`,
});
