/** Looks for a descriptor of a file, a directory or a device. */
import { adoptEach } from "../_descriptors.ts";

export const attempt = adoptEach({
  setup: `const { fstatSync } = await import("node:fs");`,
  script: `const info = fstatSync(fd);
    return info.isFile() || info.isDirectory() || info.isCharacterDevice() || info.isBlockDevice()
      ? "descriptor " + fd : undefined;`,
  python: `mode = os.fstat(fd).st_mode
gained = gained or (None if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode) else fd)`,
});
