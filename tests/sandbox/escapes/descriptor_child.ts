/** Passes open descriptors to a program. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { spawn } = await import("node:child_process");
const child = spawn("/bin/cat", [], { stdio: [3, 4, 5, 6, 7, 8] });
return await new Promise((resolve, reject) => child.on("error", reject).on("spawn", () => resolve("started")));`,
  python: () =>
    `import subprocess
return subprocess.run(["/bin/cat"], pass_fds=range(3, 16), stdin=3)`,
});
