/**
 * The small error tree. `HermesError` is for people (one line: what is wrong and what to
 * do); `ToolError` is for the model; `EnvironmentError` says the infrastructure failed.
 */

/** Exit codes of the headless contract. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  needsApproval: 3,
  budget: 4,
  provider: 5,
  schema: 6,
  /** By Ctrl-C; 128 and the signal's number, as every program in a shell. */
  interrupted: 130,
  hungUp: 129,
  terminated: 143,
} as const;

/** An expected failure that ends a command with one clear line and an exit code. */
export class HermesError extends Error {
  override name = "HermesError";
  readonly exitCode: number;
  /** What to do about it, shown after the message. */
  readonly hint: string | undefined;

  constructor(
    message: string,
    options: { exitCode?: number; hint?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.failed;
    this.hint = options.hint;
  }
}

/** Wrong arguments or wrong configuration: exit code 2. */
export class UsageError extends HermesError {
  override name = "UsageError";
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { ...options, exitCode: EXIT.usage });
  }
}

/** A tool's refusal or failure, in words for the model. Anything else a tool throws is a bug. */
export class ToolError extends Error {
  override name = "ToolError";
  /** More keys for the JSON result beside `error`. */
  readonly extra: Record<string, unknown>;
  constructor(message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.extra = extra;
  }
}

/** The place where commands run is broken or gone: never a command that merely failed. */
export class EnvironmentError extends Error {
  override name = "EnvironmentError";
}

export type FileErrorCode =
  | "ENOENT"
  | "EACCES"
  | "EEXIST"
  | "EISDIR"
  | "ENOTDIR"
  | "ENOTEMPTY"
  | "ELOOP"
  | "ENOSPC"
  | "EROFS"
  | "EINVAL"
  | "EIO";

/** A file operation of an environment failed: `PATH: reason`. A tool may let it through to the model as it is. */
export class FileError extends ToolError {
  override name = "FileError";
  readonly code: FileErrorCode;
  readonly path: string;
  constructor(message: string, options: { code: FileErrorCode; path: string }) {
    super(message);
    this.code = options.code;
    this.path = options.path;
  }
}
