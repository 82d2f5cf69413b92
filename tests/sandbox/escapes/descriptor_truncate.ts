/** Empties every file that is open, and changes its mode. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { fchmodSync, ftruncateSync, futimesSync } = await import("node:fs");`,
  script: `ftruncateSync(fd, 0);
    futimesSync(fd, 0, 0);
    fchmodSync(fd, 0o777);
    return "changed " + fd;`,
  python: `os.ftruncate(fd, 0)
gained = fd`,
});
