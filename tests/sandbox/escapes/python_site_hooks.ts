/** Plants code that a later interpreter would run. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os, site, sys, sysconfig
for folder in [*sys.path, site.getusersitepackages(), sysconfig.get_path("purelib"), sys.prefix]:
    for name in ("sitecustomize.py", "usercustomize.py", "planted.pth"):
        try:
            return os.open(os.path.join(folder, name), os.O_CREAT | os.O_WRONLY)
        except OSError:
            pass`,
});
