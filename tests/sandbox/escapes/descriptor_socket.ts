/** Writes to every descriptor through a socket that adopts its number. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { Socket } = await import("node:net");`,
  script: `new Socket({ fd, readable: false, writable: true }).on("error", () => {}).write(bytes);`,
  python:
    `gained = socket.socket(fileno=fd).getpeername() if socket.socket(fileno=os.dup(fd)).family != socket.AF_UNIX else gained`,
});
