/** How alike two short texts are, by the parts they share in order (Ratcliff and Obershelp). */
import type { Effort } from "./effort.ts";

/** What looking at one character costs where it is only counted. */
const COUNTING = 16;

/** 0 (nothing shared) to 1 (equal). */
export function similarity(a: string, b: string, effort?: Effort): number {
  if (a === b) return 1;
  const total = a.length + b.length;
  return total === 0 ? 1 : 2 * sharedLength(a, b, effort) / total;
}

/** Cheap, and never less than `similarity()`. */
export function similarityBound(a: string, b: string, effort?: Effort): number {
  const total = a.length + b.length;
  effort?.spend(total * COUNTING);
  return total === 0 ? 1 : 2 * sharedCharacters(a, b) / total;
}

/** The same as `similarity() >= threshold`, mostly without computing it. */
export function isSimilar(
  a: string,
  b: string,
  { threshold, effort }: { threshold: number; effort?: Effort },
): boolean {
  effort?.spend(1);
  if (a === b) return true;
  if (!mayBeSimilar(a, b, threshold)) return false;
  return similarityBound(a, b, effort) >= threshold && similarity(a, b, effort) >= threshold;
}

/** False when the lengths alone differ too much. */
export function mayBeSimilar(a: string, b: string, threshold: number): boolean {
  return 2 * Math.min(a.length, b.length) >= threshold * (a.length + b.length);
}

/** The longest common part, plus what the texts left and right of it share. */
function sharedLength(a: string, b: string, effort: Effort | undefined): number {
  if (a === "" || b === "") return 0;
  effort?.spend(a.length * b.length);
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
  return best + sharedLength(a.slice(0, endA - best), b.slice(0, endB - best), effort) +
    sharedLength(a.slice(endA), b.slice(endB), effort);
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
