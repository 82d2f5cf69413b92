/** Reads from every descriptor through a pipe handle that adopts its number. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { Pipe, constants } = process.binding("pipe_wrap");
let read = "";`,
  script: `const pipe = new Pipe(constants.SOCKET);
    if (pipe.open(fd) !== 0) return;
    pipe.onread = (buffer) => { if (buffer) read += new TextDecoder("latin1").decode(buffer); };
    pipe.readStart();`,
  later: `read.includes("SQLite format") ? "the code cache" : undefined`,
});
