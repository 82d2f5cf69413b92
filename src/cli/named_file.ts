/** Files that flags and arguments name: read whole, with complaints that repeat the name. */
import { UsageError } from "../protocol/error.ts";
import { reasonOf } from "../util/reason.ts";

/** The bytes of the file that `name` (a flag, or empty) points to. @throws {UsageError} */
export function readNamedFile(path: string, name = ""): Uint8Array<ArrayBuffer> {
  try {
    return Deno.readFileSync(path);
  } catch (cause) {
    const what = `${name} ${path}`.trimStart();
    throw new UsageError(`cannot read ${what}: ${reasonOf(cause)}`, { cause });
  }
}
