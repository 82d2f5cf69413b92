/** Changes between two texts in the form `diff -u` prints. */
import { type DiffBlock, diffSequences } from "./line_diff.ts";

export interface UnifiedDiffOptions {
  /** Names for the two sides; `/dev/null` for a side that does not exist. */
  from: string;
  to: string;
  context?: number;
}

/** The diff with its two header lines, or `""` when the texts are equal. */
export function unifiedDiff(
  before: string,
  after: string,
  options: UnifiedDiffOptions,
): string {
  if (before === after) return "";
  const [a, b] = [keepEnds(before), keepEnds(after)];
  const hunks = groupHunks(diffSequences(a, b), options.context ?? 3);
  const out = [`--- ${options.from}\n+++ ${options.to}\n`];
  for (const hunk of hunks) {
    const [first, last] = [hunk[0]!, hunk.at(-1)!];
    const aSpan = span(first.aStart, last.aEnd);
    const bSpan = span(first.bStart, last.bEnd);
    out.push(`@@ -${aSpan} +${bSpan} @@\n`);
    for (const block of hunk) {
      if (block.equal) {
        for (const line of a.slice(block.aStart, block.aEnd)) out.push(marked(" ", line));
        continue;
      }
      for (const line of a.slice(block.aStart, block.aEnd)) out.push(marked("-", line));
      for (const line of b.slice(block.bStart, block.bEnd)) out.push(marked("+", line));
    }
  }
  return out.join("");
}

/** Changes with at most `context` equal lines around them; near ones share a hunk. */
function groupHunks(blocks: readonly DiffBlock[], context: number): DiffBlock[][] {
  const hunks: DiffBlock[][] = [];
  let current: DiffBlock[] = [];
  for (const [i, block] of blocks.entries()) {
    if (!block.equal) {
      current.push(block);
      continue;
    }
    const length = block.aEnd - block.aStart;
    const isLast = i === blocks.length - 1;
    if (current.length > 0 && !isLast && length <= context * 2) {
      current.push(block);
      continue;
    }
    if (current.length > 0) {
      if (context > 0) current.push(cut(block, 0, Math.min(context, length)));
      hunks.push(current);
      current = [];
    }
    if (!isLast && context > 0) current = [cut(block, Math.max(0, length - context), length)];
  }
  if (current.some((block) => !block.equal)) hunks.push(current);
  return hunks;
}

function cut(block: DiffBlock, from: number, to: number): DiffBlock {
  return {
    equal: true,
    aStart: block.aStart + from,
    aEnd: block.aStart + to,
    bStart: block.bStart + from,
    bEnd: block.bStart + to,
  };
}

/** `start,length` counted from 1; an empty span names the line before it. */
function span(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

function keepEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function marked(mark: string, line: string): string {
  return line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`;
}
