/** What can be wrong with a plugin: it cannot be used, it threw, it is gone. */
import { HermesError } from "../protocol/error.ts";
import { cleanOutput } from "../util/clean_output.ts";
import type { GuestFailure } from "./messages.ts";

/** Expected: a broken plugin is reported and skipped, nothing else suffers. */
export class PluginProblem extends HermesError {
  override name = "PluginProblem";
  constructor(message: string, options?: ConstructorParameters<typeof HermesError>[1]) {
    super(plainLine(message), options);
  }
}

const MAX_CHARS = 500;
/** How far into a message is read at all. */
const MAX_READ_CHARS = 4000;
const MAX_WORD = 200;

/** A line for people in which a stranger's words (names, addresses, code) hide and move nothing. */
function plainLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "\ufffd")
    .replaceAll(/\S+/g, (word) => word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}…` : word)
    .slice(0, MAX_CHARS);
}

/** What the plugin itself reports of a question. */
export class GuestError extends Error {
  override name = "GuestError";
  readonly extra: Record<string, unknown> | undefined;
  constructor(failure: GuestFailure) {
    super(failure.message);
    this.extra = failure.extra;
  }
}

/** The plugin is gone; the message says why. */
export class GuestGone extends Error {
  override name = "GuestGone";
}

/** Prepared modules by the names their author knows. */
const PREPARED = /file:\/\/\S*?\/modules\/(\S+?)(\.js)?(?=[:\s"')]|$)/g;

/** The message of whatever was thrown, on one plain line, in the author's file names. */
export function reasonOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const text = said.slice(0, MAX_READ_CHARS);
  return plainLine(cleanOutput(text).replaceAll(PREPARED, "$1"));
}
