/** Gets at the bindings under the modules of Node by the module for its tests. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { createRequire } = await import("node:module");
const { internalBinding } = createRequire("file:///script.js")("internal/test/binding");
for (const name of ["fs", "fs_dir", "spawn_sync", "process_methods", "worker", "contextify", "messaging", "modules", "os", "report", "credentials", "wasi", "permission"]) {
  let binding = {};
  try { binding = internalBinding(name); } catch { /* no such binding */ }
  for (const [key, value] of Object.entries(binding)) {
    try {
      if (String(value(${
      literal(w.secretFile)
    }, "utf8")).includes("marker")) return name + "." + key;
    } catch { /* refused */ }
  }
}`,
});
