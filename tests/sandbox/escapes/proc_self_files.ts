/** Reads other facts of the own process. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `for (const name of ["maps", "cmdline", "status", "mem"]) {
  try {
    return Deno.readFileSync("/proc/self/" + name).length + name;
  } catch { /* refused */ }
}`,
  python: () =>
    `for name in ["maps", "cmdline", "status", "mem"]:
    try:
        return str(len(open("/proc/self/" + name, "rb").read(100))) + name
    except OSError:
        pass`,
});
