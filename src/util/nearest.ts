/** "Did you mean": the closest known name to a mistyped one. */

/** No name is longer; the time is that of both lengths multiplied. */
const MAX_WORD_CHARS = 256;

/** Edit distance where a swap of neighbours counts one; of longer texts than names, the most it can be. */
export function editDistance(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  if (longer > MAX_WORD_CHARS) return a === b ? 0 : longer;
  const width = b.length + 1;
  let before: number[] = [];
  let last = Array.from({ length: width }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j < width; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[width - 1]!;
}

/** The nearest candidate within a third of the word's length (at least 2 edits), else undefined. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_CHARS) return undefined;
  const limit = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (candidate.startsWith(word) && word.length >= 3) return candidate;
    // The lengths alone are so many edits apart.
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** ` Did you mean "x"?` or an empty string, ready to append to an error line. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : ` Did you mean "${found}"?`;
}
