/**
 * Trimming in one pass. `text.replace(/x+$/, "")` looks like it, but starts over at every `x`
 * that is not at the end: quadratic on text made of them.
 */

/** The text without those of `characters` (single code units) that it ends with. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return end === text.length ? text : text.slice(0, end);
}
