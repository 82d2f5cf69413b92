/** Removing block comments in one pass: a lazy expression starts over at every one that is not closed. */

/** The text with a blank for each comment. One that is not closed stays. */
export function withoutBlockComments(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  for (let start = text.indexOf("/*"); start >= 0; start = text.indexOf("/*", kept)) {
    const end = text.indexOf("*/", start + 2);
    if (end < 0) break;
    parts.push(text.slice(kept, start), " ");
    kept = end + 2;
  }
  return kept === 0 ? text : parts.join("") + text.slice(kept);
}
