/** Goes through its own /proc entries. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import os
found = []
for path in ("/proc/self/mem", "/proc/self/maps", "/proc/self/cwd/../rpc", "/proc/self/task/self/../../../1/environ", "/proc/self/attr/current", "/proc/sys/kernel/core_pattern", "/proc/self/oom_score_adj"):
    try:
        os.close(os.open(path, os.O_RDWR if "mem" in path or "sys" in path else os.O_RDONLY))
        found.append(path)
    except OSError:
        pass
return found or None`,
});
