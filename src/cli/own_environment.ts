/**
 * The environment hermes was started with. It is read once; then every variable that the runtime
 * itself does not need is removed from the process, and the memory that the kernel shows as
 * `/proc/PID/environ` is cleared, so that no other program reads a key there. Knows no policy
 * about what children get.
 */
import { allowHiding } from "../util/hide_memory.ts";
import { MARKER, RUNTIME_VARIABLES } from "./own_environment_data.ts";

type Variables = Readonly<Record<string, string>>;

let kept: Variables | undefined;

/** The variables hermes was started with, also those that were removed since. */
export function ownEnvironment(): Variables {
  return kept ?? Deno.env.toObject();
}

/** Removes all variables but the runtime's from this process. Only the program itself calls it. */
export function sealEnvironment(): void {
  if (kept !== undefined) return;
  const all = Deno.env.toObject();
  kept = Object.freeze(all);
  allowHiding();
  for (const name in all) {
    // Setting a variable again gives it memory of its own, outside of what is cleared below.
    if (RUNTIME_VARIABLES.has(name)) Deno.env.set(name, all[name]!);
    else Deno.env.delete(name);
  }
  if (Deno.build.os === "linux") clearInitialBlocks(all[MARKER]);
}

/**
 * Clears what the kernel put into memory when the program started: all variables but the marker
 * by which another hermes finds this process, and passwords in the URLs of arguments.
 */
function clearInitialBlocks(marker: string | undefined): void {
  try {
    const stat = Deno.readTextFileSync("/proc/self/stat");
    // The second field is the program's name in parentheses and may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [argsStart, argsEnd, envStart, envEnd] = fields.slice(45, 49).map(Number);
    // Emulators show zeros here.
    if (!(argsStart! > 0 && argsStart! < argsEnd! && argsEnd! <= envStart!)) return;
    if (envStart! < envEnd!) {
      const block = memoryAt(envStart!, envEnd!).fill(0);
      if (marker !== undefined) new TextEncoder().encodeInto(`${MARKER}=${marker}`, block);
    }
    const hasPassword = Deno.args.some((arg) => arg.includes("://") && arg.includes("@"));
    if (hasPassword) maskPasswords(memoryAt(argsStart!, argsEnd!));
  } catch {
    // No /proc, or no right to reach memory: the variables are still removed from the process.
  }
}

function memoryAt(start: number, end: number): Uint8Array<ArrayBuffer> {
  const pointer = Deno.UnsafePointer.create(BigInt(start));
  if (pointer === null) return new Uint8Array();
  return new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointer, end - start));
}

/** `://user:password@` or `://token@` in one argument. */
const URL_PASSWORD = /:\/\/[^/?#\s\0@]*@/g;

function maskPasswords(block: Uint8Array): void {
  // One character for each byte: a position in the text is a position in the block.
  const text = new TextDecoder("latin1").decode(block);
  for (const { index, 0: found } of text.matchAll(URL_PASSWORD)) {
    block.fill(42, index + 3, index + found.length - 1);
  }
}
