/**
 * Folds the tricks that make one command look like another: terminal escapes, NUL,
 * full-width letters, invisible characters. The result is judged beside the original, never
 * instead of it, because folding can also hide what a shell would run.
 */

const ANSI = new RegExp(
  [
    "(?:\\x1b\\]|\\x9d)[^\\x07\\x1b\\x9c]*(?:\\x07|\\x1b\\\\|\\x9c)?",
    "(?:\\x1b[PX^_]|[\\x90\\x98\\x9e\\x9f])[^\\x1b\\x9c]*(?:\\x1b\\\\|\\x9c)?",
    "(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?",
    "\\x1b[ -/]*[0-~]?",
    "[\\x80-\\x9f]",
  ].join("|"),
  "g",
);
/** Soft hyphen, joiners, zero-width spaces, directional marks, variation selectors, tags. */
const INVISIBLE =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;
const CONTROL = /(?![\t\n])\p{Cc}/gu;
const BIDI_OVERRIDE = /[\u202a-\u202e\u2066-\u2069]/;
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** The command as a reader would see it; the same string when nothing had to be folded. */
export function foldText(command: string): string {
  if (PLAIN.test(command)) return command;
  return command.replace(ANSI, "").replace(/\r\n?/g, "\n").normalize("NFKC")
    .replace(INVISIBLE, "").replace(CONTROL, "");
}

/** Characters that reorder what is displayed: no honest command needs them. */
export function reordersText(command: string): boolean {
  return BIDI_OVERRIDE.test(command);
}
