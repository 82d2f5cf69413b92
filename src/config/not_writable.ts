/** What is said when a file in the home cannot be written. */
import { HermesError } from "../protocol/error.ts";

export function notWritable(path: string, cause: unknown): HermesError {
  const reason = cause instanceof Error ? cause.message.replace(/: \w+ '.*$/, "") : String(cause);
  return new HermesError(`cannot write ${path}: ${reason}`, {
    hint: "Make it writable, or set HERMES_HOME to another directory.",
    cause,
  });
}
