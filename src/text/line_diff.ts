/** The shortest edit between two sequences (Myers), with a bound on the work for texts that share little. */

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

/** Blocks in order that cover both sequences. */
export function diffSequences(a: readonly string[], b: readonly string[]): DiffBlock[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head && tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) tail++;
  const [aEnd, bEnd] = [a.length - tail, b.length - tail];
  const pairs = matchedPairs(a.slice(head, aEnd), b.slice(head, bEnd));
  const blocks: DiffBlock[] = [];
  let [i, j] = [0, 0];
  function upTo(x: number, y: number, equal: boolean): void {
    if (x > i || y > j) blocks.push({ equal, aStart: i, aEnd: x, bStart: j, bEnd: y });
    [i, j] = [x, y];
  }
  upTo(head, head, true);
  for (let k = 0; k < pairs.length;) {
    const [x, y] = pairs[k]!;
    let run = 1;
    while (pairs[k + run]?.[0] === x + run && pairs[k + run]?.[1] === y + run) run++;
    upTo(head + x, head + y, false);
    upTo(head + x + run, head + y + run, true);
    k += run;
  }
  upTo(aEnd, bEnd, false);
  upTo(a.length, b.length, true);
  return mergeEqual(blocks);
}

function mergeEqual(blocks: readonly DiffBlock[]): DiffBlock[] {
  const out: DiffBlock[] = [];
  for (const block of blocks) {
    const last = out.at(-1);
    if (last?.equal === block.equal) Object.assign(last, { aEnd: block.aEnd, bEnd: block.bEnd });
    else out.push({ ...block });
  }
  return out;
}

/** Index pairs of the items kept by a shortest edit. */
function matchedPairs(a: readonly string[], b: readonly string[]): [number, number][] {
  if (a.length === 0 || b.length === 0) return [];
  const limit = Math.min(a.length + b.length, MAX_EDITS);
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(new Map(furthest));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits ||
        (k !== edits && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1));
      let x = down ? furthest.get(k + 1)! : furthest.get(k - 1)! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return [];
}

function walkBack(
  trace: readonly Map<number, number>[],
  aLength: number,
  bLength: number,
): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [aLength, bLength];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const furthest = trace[edits]!;
    const k = x - y;
    const down = k === -edits ||
      (k !== edits && (furthest.get(k - 1) ?? -1) < (furthest.get(k + 1) ?? -1));
    const before = down ? k + 1 : k - 1;
    const fromX = edits === 0 ? 0 : furthest.get(before)!;
    const fromY = edits === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}
