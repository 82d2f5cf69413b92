/** Writes to every descriptor from another thread. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { Worker } = await import("node:worker_threads");
const code = \`const { Pipe, constants } = process.binding("pipe_wrap");
const { WriteWrap } = process.binding("stream_wrap");
const { workerData: { fd, text } } = require("node:worker_threads");
const pipe = new Pipe(constants.SOCKET);
pipe.open(fd);
const request = new WriteWrap();
request.handle = pipe;
pipe.writeBuffer(request, new TextEncoder().encode(text));\`;`,
  script: `if (fd > 4) return;
    new Worker(code, { eval: true, workerData: { fd, text: "x" } }).on("error", () => {});`,
  python: `import threading
threading.Thread(target=lambda: os.pwrite(fd, data, 0)).run()
gained = fd`,
});
