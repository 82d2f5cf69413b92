/** Opens every descriptor as a terminal. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { ReadStream, WriteStream } = await import("node:tty");`,
  script: `const stream = new WriteStream(fd);
    stream.on("error", () => {}).write(bytes);
    return new ReadStream(fd).isTTY ? "a terminal" : undefined;`,
  python: `gained = os.ttyname(fd)`,
});
