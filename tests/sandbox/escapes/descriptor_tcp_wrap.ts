/** Writes to every descriptor through a TCP handle that adopts its number. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { TCP, constants } = process.binding("tcp_wrap");
const { WriteWrap } = process.binding("stream_wrap");`,
  script: `const tcp = new TCP(constants.SOCKET);
    if (tcp.open(fd) !== 0) return;
    const request = new WriteWrap();
    request.handle = tcp;
    request.oncomplete = () => {};
    tcp.writeBuffer(request, bytes);`,
});
