/** Calls the C library to read a file outside. */
import { defineAttempt, literal } from "../_attempt.ts";

export const attempt = defineAttempt({
  script: (w) =>
    `const libc = Deno.dlopen("libc.so.6", {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
});
const fd = libc.symbols.open(new TextEncoder().encode(${literal(w.secretFile)} + "\\0"), 0);
const buffer = new Uint8Array(64);
return libc.symbols.read(fd, buffer, 64n) > 0n ? new TextDecoder().decode(buffer) : undefined;`,
  python: (w) =>
    `import ctypes
libc = ctypes.CDLL(None)
fd = libc.open(${literal(w.secretFile)}.encode(), 0)
buffer = ctypes.create_string_buffer(64)
return buffer.value if libc.read(fd, buffer, 64) > 0 else None`,
});
