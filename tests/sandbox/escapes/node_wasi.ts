/** Opens a directory outside for WebAssembly. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const { WASI } = await import("node:wasi");
const wasi = new WASI({ version: "preview1", preopens: { "/": ${literal(w.directory)} } });
const memory = new WebAssembly.Memory({ initial: 1 });
const { path_open } = wasi.getImportObject().wasi_snapshot_preview1;
new Uint8Array(memory.buffer).set(new TextEncoder().encode("secret.txt"));
wasi.start?.({ exports: { memory, _start() {} } });
return path_open(3, 0, 0, 10, 0, 2n, 0n, 0, 100) === 0 ? "opened" : undefined;`,
});
