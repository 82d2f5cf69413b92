/** What is said when a file in the home cannot be written. */
import { HermesError } from "../protocol/error.ts";
import { reasonOf } from "../util/reason.ts";

export function notWritable(path: string, cause: unknown): HermesError {
  return new HermesError(`cannot write ${path}: ${reasonOf(cause)}`, {
    hint: "Make it writable, or set HERMES_HOME to another directory.",
    cause,
  });
}
