/** Signals the agent by the raw functions of the process object. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `for (const kill of [process._kill, process.kill, process.binding("process_methods")?._kill]) {
  try { if (kill?.(Deno.ppid, 12) === 0) return "signalled"; } catch { /* refused */ }
}
return process._debugProcess?.(Deno.ppid) === 0 ? "debugged" : undefined;`,
  python: () =>
    `import _signal, os
_signal.pthread_kill(os.getppid(), 12)
return "signalled"`,
});
