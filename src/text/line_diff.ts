/** The shortest edit between two sequences, with a bound on the work for texts that share little. */
import { diffArrays } from "../deps/diff.ts";

/** Equal items, or items of the first replaced by items of the second; ranges are half-open. */
export interface DiffBlock {
  equal: boolean;
  aStart: number;
  aEnd: number;
  bStart: number;
  bEnd: number;
}

/** Edits looked for at most; beyond it what differs counts as one replacement. */
const MAX_EDITS = 500;

/** Blocks in order that cover both sequences; equal and different ones take turns. */
export function diffSequences(a: readonly string[], b: readonly string[]): DiffBlock[] {
  // What both begin and end with is set aside: the bound is for the rest.
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head && tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) tail++;
  const blocks: DiffBlock[] = [];
  let [i, j] = [0, 0];
  function add(equal: boolean, fromA: number, fromB: number): void {
    if (fromA === 0 && fromB === 0) return;
    const last = blocks.at(-1);
    const [aEnd, bEnd] = [i + fromA, j + fromB];
    if (last?.equal === equal) Object.assign(last, { aEnd, bEnd });
    else blocks.push({ equal, aStart: i, aEnd, bStart: j, bEnd });
    [i, j] = [aEnd, bEnd];
  }
  add(true, head, head);
  const [restA, restB] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const changes = diffArrays(restA, restB, { maxEditLength: MAX_EDITS });
  if (changes === undefined) add(false, restA.length, restB.length);
  for (const { added, removed, count } of changes ?? []) {
    add(!added && !removed, added ? 0 : count, removed ? 0 : count);
  }
  add(true, tail, tail);
  return blocks;
}
