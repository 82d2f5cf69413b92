/**
 * Keeps other processes of the same user from reading the memory and the descriptors of hermes
 * (Linux). Root can read them nevertheless. Libraries and tests are left as they are: only the
 * program allows it.
 */

const PR_SET_DUMPABLE = 4;
let allowed = false;

/** The program itself runs, and nothing else is in this process. */
export function allowHiding(): void {
  allowed = true;
}

/** Takes effect once. Called before the first program that a model chose is started. */
export function hideMemory(): void {
  if (!allowed || Deno.build.os !== "linux") return;
  allowed = false;
  try {
    const libc = Deno.dlopen("libc.so.6", {
      prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
    });
    libc.symbols.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n);
    libc.close();
  } catch {
    // Another C library: the environment is cleared nevertheless.
  }
}
