/** Writes to every descriptor through a pipe handle that adopts its number. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  everything: true,
  setup: `const { Pipe, constants } = process.binding("pipe_wrap");
const { WriteWrap } = process.binding("stream_wrap");`,
  script: `const pipe = new Pipe(constants.SOCKET);
    if (pipe.open(fd) !== 0) return;
    const request = new WriteWrap();
    request.handle = pipe;
    request.oncomplete = () => {};
    pipe.writeBuffer(request, bytes);`,
  python: `os.write(fd, data) if stat.S_ISREG(os.fstat(fd).st_mode) else None`,
});
