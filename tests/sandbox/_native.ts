/**
 * Attempts that make system calls themselves. JavaScript can only where Deno's permissions are
 * down; Python can always, because it can load `ctypes` again that the prelude took away.
 */
import { type Attempt, defineAttempt } from "./_attempt.ts";
import { FOREIGN_CALLS, type ForeignCall } from "./_native_data.ts";

/** Errors of a filter: EPERM, ENOSYS. Any other tells that the kernel has looked at the call. */
const REFUSED = [1, 38];

/** Python with `call(x86_64, aarch64, …)`, which gives the answer and the error. */
export const PYTHON_CALLS = `import os, sys
for name in [name for name in sys.modules if name.split(".")[0] in ("ctypes", "_ctypes")]:
    del sys.modules[name]
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(x86_64, aarch64, *arguments):
    number = aarch64 if os.uname().machine == "aarch64" else x86_64
    if number < 0:
        return -1, 38
    ctypes.set_errno(0)
    words = [one if isinstance(one, ctypes._SimpleCData) or not isinstance(one, int) else ctypes.c_long(one) for one in arguments]
    answer = libc.syscall(ctypes.c_long(number), *words)
    return answer, ctypes.get_errno()
def through(answer, error):
    return answer >= 0 or error not in (${REFUSED})`;

/** The same for JavaScript. */
export const SCRIPT_CALLS = `const libc = Deno.dlopen("libc.so.6", {
  syscall: { parameters: Array(7).fill("i64"), result: "i64" },
  __errno_location: { parameters: [], result: "pointer" },
});
const errno = new Deno.UnsafePointerView(libc.symbols.__errno_location());
const call = (x86_64, aarch64, ...args) => {
  const number = Deno.build.arch === "aarch64" ? aarch64 : x86_64;
  if (number < 0) return [-1, 38];
  const words = [number, ...args, 0, 0, 0, 0, 0, 0].slice(0, 7).map(BigInt);
  return [Number(libc.symbols.syscall(...words)), errno.getInt32()];
};
const through = ([answer, error]) => answer >= 0 || ![${REFUSED}].includes(error);`;

/** Makes each call with nothing but zeros: one that is let through fails in another way, or does nothing. */
export function nativeAttempt(names: readonly ForeignCall[]): Attempt {
  const calls = JSON.stringify(names.map((name) => [name, ...FOREIGN_CALLS[name]]));
  return defineAttempt({
    script: () =>
      `${SCRIPT_CALLS}
const found = ${calls}.filter(([, ...numbers]) => through(call(...numbers)));
return found.map(([name]) => name).join() || undefined;`,
    python: () =>
      `${PYTHON_CALLS}
found = [name for name, *numbers in ${calls} if through(*call(*numbers, 0, 0, 0, 0, 0))]
return ", ".join(found) or None`,
  });
}
