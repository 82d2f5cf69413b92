/**
 * What went wrong with the database, in words for a person. SQLite's message is the only thing
 * that every failing call of `node:sqlite` carries, so kinds are told apart by it.
 */
import { HermesError } from "../protocol/error.ts";
import { reasonOf } from "../util/reason.ts";

export type FailureKind = "busy" | "damaged" | "full" | "unwritable" | "other";

const KINDS: readonly [FailureKind, RegExp][] = [
  ["busy", /database (table )?is locked|database schema is locked|locking protocol/],
  ["damaged", /malformed|not a database|corrupt/],
  ["full", /disk is full|disk I\/O error|No space left|File too large|quota/i],
  [
    "unwritable",
    /readonly|unable to open|access permission|denied|Read-only file system|Not a directory|Is a directory|No such file/i,
  ],
];

const WAY_OUT = "or run with --no-session to save nothing";

/** The kind of an error thrown by SQLite or the file system. */
export function failureKind(error: unknown): FailureKind {
  const message = reasonOf(error);
  return KINDS.find(([, pattern]) => pattern.test(message))?.[0] ?? "other";
}

/** The one line for a person, or the error itself when it is a bug rather than a circumstance. */
export function describeFailure(error: unknown, path: string): unknown {
  if (error instanceof HermesError) return error;
  const reason = reasonOf(error);
  switch (failureKind(error)) {
    case "busy":
      return new HermesError(`the session database ${path} is locked by another process`, {
        hint: `Wait for it or stop it, ${WAY_OUT}.`,
        cause: error,
      });
    case "damaged":
      return new HermesError(`the session database ${path} is damaged (${reason})`, {
        hint: "Run the command again: the next start repairs it and keeps a copy.",
        cause: error,
      });
    case "full":
      return new HermesError(`cannot write the session database ${path}: ${reason}`, {
        hint: `Free some disk space, ${WAY_OUT}.`,
        cause: error,
      });
    case "unwritable":
      return new HermesError(`cannot open the session database ${path} for writing: ${reason}`, {
        hint:
          `Make its directory and the state.db files in it writable, set HERMES_HOME to another ` +
          `directory, ${WAY_OUT}.`,
        cause: error,
      });
    case "other":
      return error;
  }
}

/** Two that write to one session would part calls from their results, for good. */
export function wentOnElsewhere(sessionId: string): HermesError {
  const back = `hermes run --resume ${sessionId} "…", or /resume ${sessionId} in a chat`;
  return new HermesError(
    `session ${sessionId} went on in another hermes meanwhile: nothing more is added to it here`,
    { hint: `Read what was said there, then say it again: ${back}` },
  );
}
