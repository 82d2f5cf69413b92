/** Loads a shared object as a Node addon. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: () =>
    `const { default: process } = await import("node:process");
for (const path of ["/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6"]) {
  try {
    process.dlopen({ exports: {} }, path);
    return "loaded";
  } catch { /* refused */ }
}`,
  python: (w) =>
    `import importlib.machinery, importlib.util
loader = importlib.machinery.ExtensionFileLoader("secret", ${literal(w.secretFile)})
return importlib.util.module_from_spec(importlib.util.spec_from_loader("secret", loader))`,
});
