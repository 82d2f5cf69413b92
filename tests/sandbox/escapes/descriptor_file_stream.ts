/** Writes to every descriptor through a stream of files. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { createReadStream, createWriteStream } = await import("node:fs");`,
  script: `createWriteStream("", { fd, autoClose: false }).on("error", () => {}).write(bytes);
    createReadStream("", { fd, autoClose: false, start: 0 }).on("error", () => {}).resume();`,
  python:
    `os.fdopen(os.dup(fd), "wb", 0).write(data) if stat.S_ISREG(os.fstat(fd).st_mode) else None`,
});
