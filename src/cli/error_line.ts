/** The single top-level catch: any failure becomes one line for a person and an exit code. */
import { EnvironmentError, EXIT, HermesError } from "../protocol/error.ts";
import { redactSecrets } from "../text/redact.ts";
import { err } from "./io.ts";

export interface ErrorReport {
  text: string;
  exitCode: number;
}

/** What to print for a failure; the stack only when `verbose`. */
export function describeError(error: unknown, options: { verbose: boolean }): ErrorReport {
  const stack = options.verbose && error instanceof Error ? `${error.stack}\n` : "";
  if (error instanceof HermesError) {
    const hint = error.hint === undefined ? "" : `  ${error.hint}\n`;
    return { text: `hermes: ${error.message}\n${hint}${stack}`, exitCode: error.exitCode };
  }
  if (error instanceof EnvironmentError) {
    return { text: `hermes: ${error.message}\n${stack}`, exitCode: EXIT.failed };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = message.split("\n").map((part) => part.trim()).join(" ").slice(0, 500);
  const hint = options.verbose ? "" : "  Run again with --verbose for the stack trace.\n";
  return { text: `hermes: internal error: ${line}\n${hint}${stack}`, exitCode: EXIT.failed };
}

/** Prints a failure to standard error, secrets masked, and returns the exit code. */
export function reportFailure(error: unknown, argv: readonly string[]): number {
  const end = argv.indexOf("--");
  const verbose = (end < 0 ? argv : argv.slice(0, end)).includes("--verbose");
  const report = describeError(error, { verbose });
  err(redactSecrets(report.text));
  return report.exitCode;
}
