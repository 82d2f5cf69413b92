/** Starts something that outlives the script, past the stub. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { terminal } = await import("hermes_tools");
const result = await terminal({ command: "sleep 100", background: true });
return result.error ? undefined : "started";`,
  python: () =>
    `import hermes_tools
result = hermes_tools._call("terminal", {"command": "sleep 100", "background": True})
return None if "error" in result else "started"`,
});
