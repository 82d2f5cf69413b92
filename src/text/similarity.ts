/** How alike two texts are, by the parts they share in order (Ratcliff and Obershelp). */
import { diffSequences } from "./line_diff.ts";

/** Pairs of characters that are looked at; longer texts are compared by lines. */
export const MAX_EXACT_CELLS = 1_000_000;
/** With those of the parts left and right of what is shared. */
const MAX_ALL_CELLS = 5 * MAX_EXACT_CELLS;

/** 0 (nothing shared) to 1 (equal). */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const total = a.length + b.length;
  if (a.length * b.length > MAX_EXACT_CELLS) return 2 * sharedLines(a, b) / total;
  return 2 * sharedLength(a, b, { cells: MAX_ALL_CELLS }) / total;
}

/** Cheap, and never less than `similarity()`. */
export function similarityBound(a: string, b: string): number {
  const total = a.length + b.length;
  return total === 0 ? 1 : 2 * sharedCharacters(a, b) / total;
}

/** The same as `similarity() >= threshold`, mostly without computing it. */
export function isSimilar(a: string, b: string, options: { threshold: number }): boolean {
  const { threshold } = options;
  if (a === b) return true;
  if (2 * Math.min(a.length, b.length) < threshold * (a.length + b.length)) return false;
  return similarityBound(a, b) >= threshold && similarity(a, b) >= threshold;
}

/** Characters of what both begin and end with, and of equal lines between: never more than is shared. */
function sharedLines(a: string, b: string): number {
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start++;
  let end = 0;
  while (end < least - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const linesA = a.slice(start, a.length - end).split("\n");
  const linesB = b.slice(start, b.length - end).split("\n");
  return diffSequences(linesA, linesB).filter(({ equal }) => equal).reduce(
    (sum, { aStart, aEnd }) => sum + linesA.slice(aStart, aEnd).join("\n").length,
    start + end,
  );
}

/** The longest common part, plus what the texts left and right of it share while `left` lasts. */
function sharedLength(a: string, b: string, left: { cells: number }): number {
  left.cells -= a.length * b.length;
  if (a === "" || b === "" || left.cells < 0) return 0;
  let best = 0;
  let endA = 0;
  let endB = 0;
  let before = new Uint32Array(b.length + 1);
  let row = new Uint32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const length = a[i - 1] === b[j - 1] ? before[j - 1]! + 1 : 0;
      row[j] = length;
      if (length > best) [best, endA, endB] = [length, i, j];
    }
    [before, row] = [row, before];
  }
  if (best === 0) return 0;
  return best + sharedLength(a.slice(0, endA - best), b.slice(0, endB - best), left) +
    sharedLength(a.slice(endA), b.slice(endB), left);
}

/** Characters in common whatever their order: never less than what is shared in order. */
function sharedCharacters(a: string, b: string): number {
  const counts = new Map<string, number>();
  for (const character of a) counts.set(character, (counts.get(character) ?? 0) + 1);
  let shared = 0;
  for (const character of b) {
    const left = counts.get(character) ?? 0;
    if (left === 0) continue;
    counts.set(character, left - 1);
    shared += character.length;
  }
  return shared;
}
