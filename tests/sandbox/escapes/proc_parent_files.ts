/** Goes through the agent's open files and root. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const parent = "/proc/" + Deno.ppid;
const paths = [parent + "/root" + ${literal(w.secretFile)}, parent + "/cwd/main.ts"];
for (let fd = 0; fd < 40; fd++) paths.push(parent + "/fd/" + fd);
for (const path of paths) {
  try {
    Deno.openSync(path, { read: true });
    return path;
  } catch { /* refused */ }
}`,
  python: (w) =>
    `import os
parent = f"/proc/{os.getppid()}"
paths = [parent + "/root" + ${literal(w.secretFile)}, parent + "/cwd/main.ts"]
paths += [f"{parent}/fd/{fd}" for fd in range(40)]
for path in paths:
    try:
        os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        return path
    except OSError:
        pass`,
});
