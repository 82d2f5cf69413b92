/** Writes to every descriptor with handles of another context. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { runInNewContext } = await import("node:vm");
const { Pipe, WriteWrap } = runInNewContext(
  '({ ...process.binding("pipe_wrap"), ...process.binding("stream_wrap") })', { process });`,
  script: `const pipe = new Pipe(0);
    if (pipe.open(fd) !== 0) return;
    const request = new WriteWrap();
    request.handle = pipe;
    request.oncomplete = () => {};
    pipe.writeBuffer(request, bytes);`,
});
