/** What is said when a file in the home cannot be written. */
import { HermesError } from "../protocol/error.ts";
import { reasonOf } from "../util/reason.ts";

export function notWritable(path: string, cause: unknown): HermesError {
  const reason = reasonOf(cause);
  const remedy = reason.startsWith("No space") ? "Make room" : "Make it writable";
  return new HermesError(`cannot write ${path}: ${reason}`, {
    hint: `${remedy}, or set HERMES_HOME to another directory.`,
    cause,
  });
}
