/** Leaves something in memory that other processes can map. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `Deno.writeTextFileSync("/dev/shm/" + ${literal(w.abstractName)}, "x");
return "written";`,
  python: (w) =>
    `import os
try:
    import _posixshmem
    return _posixshmem.shm_open("/" + ${literal(w.abstractName)}, os.O_CREAT | os.O_RDWR, 0o600)
except (ImportError, OSError):
    return os.open("/dev/shm/" + ${literal(w.abstractName)}, os.O_CREAT | os.O_RDWR)`,
  effect: async (w) => {
    const path = `/dev/shm/${w.abstractName}`;
    const exists = await Deno.lstat(path).then(() => true, () => false);
    return exists ? path : undefined;
  },
});
