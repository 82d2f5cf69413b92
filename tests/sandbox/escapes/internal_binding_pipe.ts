/** Connects a pipe handle to a socket of the agent. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { Pipe, PipeConnectWrap, constants } = process.binding("pipe_wrap");
const pipe = new Pipe(constants.SOCKET);
const request = new PipeConnectWrap();
let answer;
request.oncomplete = (status) => answer = status;
pipe.connect(request, ${literal(w.unixSocket)});
const server = new Pipe(constants.SERVER);
if (server.bind(${literal(w.victim)} + "/planted") === 0) return "bound";
await new Promise((resolve) => setTimeout(resolve, 100));
return answer === 0 ? "connected" : undefined;`,
  python: (w) =>
    `import multiprocessing.connection
return multiprocessing.connection.Client(${literal(w.unixSocket)}, family="AF_UNIX")`,
});
