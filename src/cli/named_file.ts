/** Files that flags and arguments name: read or written whole, with complaints that repeat the name. */
import { UsageError } from "../protocol/error.ts";
import { reasonOf } from "../util/reason.ts";

/** The bytes of the file that `name` (a flag, or empty) points to. @throws {UsageError} */
export function readNamedFile(path: string, name = ""): Uint8Array<ArrayBuffer> {
  try {
    return Deno.readFileSync(path);
  } catch (cause) {
    throw complaint(cause, ["cannot read", ...(name === "" ? [] : [name]), path].join(" "));
  }
}

/** Writes the file that the flag `name` points to; its directory must be there. @throws {UsageError} */
export function writeNamedFile(path: string, { name, text }: { name: string; text: string }): void {
  try {
    Deno.writeTextFileSync(path, text);
  } catch (cause) {
    throw complaint(cause, `cannot write ${name} ${path}`);
  }
}

function complaint(cause: unknown, what: string): UsageError {
  return new UsageError(`${what}: ${reasonOf(cause)}`, { cause });
}
