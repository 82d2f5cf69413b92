/** Terminal text for the model: control sequences removed, and what did not fit kept for a file. */

/** CSI, OSC and the other string sequences, two-character escapes, and stray control bytes. */
const CONTROL = new RegExp(
  [
    "\\x1b\\[[0-?]*[ -/]*[@-~]",
    "\\x1b[\\]PX^_][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)",
    "\\x1b[ -/]*[0-~]",
    "\\x9b[0-?]*[ -/]*[@-~]",
    "[\\x00-\\x07\\x0b\\x0c\\x0e-\\x1a\\x1c-\\x1f\\x7f]",
  ].join("|"),
  "g",
);

const BACKSPACE = new RegExp("[^\\n]\\x08", "g");
const SUSPICIOUS = new RegExp("[\\x00-\\x08\\x0b-\\x1f\\x7f\\x9b]");

/** Output as a person would read it: no escape sequences, progress lines only in their last form. */
export function cleanOutput(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return text.replace(CONTROL, "").replace(/\r+$/gm, "").replace(/[^\n]*\r/g, "")
    .replace(BACKSPACE, "");
}

/** Most characters of overflow that are kept. */
const LIMIT = 5_000_000;

/** Keeps the beginning of an output from the moment it is clear that it will not fit. */
export class OverflowLog {
  totalChars = 0;
  #parts: string[] = [];

  push(text: string): void {
    const room = LIMIT - this.totalChars;
    this.totalChars += text.length;
    if (room > 0) this.#parts.push(text.slice(0, room));
  }

  get complete(): boolean {
    return this.totalChars <= LIMIT;
  }

  text(): string {
    return cleanOutput(this.#parts.join(""));
  }
}
