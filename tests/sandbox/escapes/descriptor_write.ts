/** Writes to every descriptor by its number. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { writeSync, writevSync } = await import("node:fs");`,
  script: `writeSync(fd, bytes, 0, bytes.length, 0);
    writevSync(fd, [bytes], 0);`,
  python: `os.pwrite(fd, data, 0)
gained = fd`,
});
