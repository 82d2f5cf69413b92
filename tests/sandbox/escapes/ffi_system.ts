/** Calls the C library to start a shell. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const libc = Deno.dlopen("libc.so.6", { system: { parameters: ["buffer"], result: "i32" } });
const command = "echo x > " + ${literal(w.victim)} + "/planted\\0";
return libc.symbols.system(new TextEncoder().encode(command)) === 0 ? "ran" : undefined;`,
  python: () =>
    `import _ctypes
return _ctypes.dlopen("libc.so.6", 2)`,
});
