/** Writes to every descriptor through a terminal handle that adopts its number. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { TTY } = process.binding("tty_wrap");
const { WriteWrap } = process.binding("stream_wrap");`,
  script: `const tty = new TTY(fd, {});
    const request = new WriteWrap();
    request.handle = tty;
    request.oncomplete = () => {};
    tty.writeBuffer?.(request, bytes);`,
});
