/**
 * Finding one text in another in time proportional to both. `indexOf` looks at no more than the
 * last 250 characters of what it looks for to move on: a long foreign passage, with one
 * odd character in its middle, makes it compare everything with everything.
 */

/** Up to here the engine's own search is fast whatever the texts are. */
const SHORT_CHARS = 64;

/** Looks for one text again and again. */
export class TextFinder {
  #wanted: string;
  /** For each beginning of the text, the length of the longest one that it also ends with. */
  #back: Int32Array | undefined;

  constructor(wanted: string) {
    this.#wanted = wanted;
  }

  /** Like `indexOf`. */
  indexIn(text: string, from = 0): number {
    const wanted = this.#wanted;
    if (wanted.length <= SHORT_CHARS) return text.indexOf(wanted, from);
    const back = this.#back ??= beginnings(wanted);
    let length = 0;
    for (let i = from; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      while (length > 0 && unit !== wanted.charCodeAt(length)) length = back[length - 1]!;
      if (unit === wanted.charCodeAt(length)) length++;
      if (length === wanted.length) return i - length + 1;
    }
    return -1;
  }
}

/** Like `includes`. */
export function hasText(text: string, wanted: string): boolean {
  return new TextFinder(wanted).indexIn(text) >= 0;
}

function beginnings(wanted: string): Int32Array {
  const back = new Int32Array(wanted.length);
  let length = 0;
  for (let i = 1; i < wanted.length; i++) {
    const unit = wanted.charCodeAt(i);
    while (length > 0 && unit !== wanted.charCodeAt(length)) length = back[length - 1]!;
    if (unit === wanted.charCodeAt(length)) length++;
    back[i] = length;
  }
  return back;
}
