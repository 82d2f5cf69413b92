/** Imports modules of the runtime that are not for everybody. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { createRequire } = await import("node:module");
const require = createRequire("file:///script.js");
for (const name of [
  "ext:core/mod.js", "ext:core/ops", "ext:deno_fs/30_fs.js", "ext:deno_node/internal_binding/mod.ts",
  "ext:runtime/98_global_scope_shared.js", "node:internal/bootstrap/realm", "checkin:core/ops",
]) {
  try { return Object.keys(await import(name)).join() || undefined; } catch { /* refused */ }
  try { return Object.keys(require(name)).join() || undefined; } catch { /* refused */ }
}`,
  python: (w) =>
    `import _imp, _frozen_importlib_external as machinery
loader = machinery.ExtensionFileLoader("secret", ${literal(w.secretFile)})
return _imp.create_dynamic(machinery.spec_from_file_location("secret", ${
      literal(w.secretFile)
    }, loader=loader))`,
});
