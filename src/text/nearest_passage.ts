/** Where a passage that was not found may have been meant: the most similar places of a text. */
import { similarity, similarityBound } from "./similarity.ts";

const MAX_PLACES = 3;
const MIN_SIMILARITY = 0.5;
/** The search ends once a line fits this well. */
const CLEAR_SIMILARITY = 0.8;
/** Lines of the passage that are looked for. */
const MAX_ANCHORS = 5;
const MAX_SNIPPET_LINES = 6;
/** Beyond this, looking at every line costs more than the hint is worth. */
const MAX_LINES = 50_000;
/** Lines that are compared in earnest, and how much of each. */
const MAX_COMPARED = 200;
const MAX_LINE_CHARS = 500;

/** Up to three numbered snippets, leading spaces as `·` and tabs as `→`; empty when nothing is near. */
export function nearestPassages(text: string, passage: string): string {
  const lines = text.split("\n");
  if (lines.length > MAX_LINES) return "";
  const rows = lines
    .map((line, index) => ({ index, line: line.trim().slice(0, MAX_LINE_CHARS) }))
    .filter(({ line }) => line !== "");
  const wanted = passage.split("\n");
  let best: Place[] = [];
  for (const anchor of anchorsOf(wanted)) {
    const found = placesOf(rows, { wanted, anchor });
    if ((found[0]?.score ?? 0) > (best[0]?.score ?? 0)) best = found;
    if ((best[0]?.score ?? 0) >= CLEAR_SIMILARITY) break;
  }
  return best.map(({ first }) => {
    const count = Math.min(wanted.length, MAX_SNIPPET_LINES);
    return lines.slice(first, first + count)
      .map((line, i) => `${first + i + 1}|${visibleIndent(line)}`).join("\n");
  }).join("\n---\n");
}

/** Where the passage would begin, and how well its anchor fits there. */
interface Place {
  first: number;
  score: number;
}

interface Row {
  index: number;
  line: string;
}

/** The lines to look for, the longest first: that one says most, but may be the one that is wrong. */
function anchorsOf(wanted: readonly string[]): number[] {
  return wanted.map((line, index) => ({ index, length: line.trim().length }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => b.length - a.length || a.index - b.index)
    .slice(0, MAX_ANCHORS)
    .map(({ index }) => index);
}

function placesOf(
  rows: readonly Row[],
  { wanted, anchor }: { wanted: readonly string[]; anchor: number },
): Place[] {
  const needle = wanted[anchor]!.trim().slice(0, MAX_LINE_CHARS);
  const pattern = withoutNumbers(needle);
  const isNumbered = pattern !== needle;
  // A line that differs by numbers alone is near, however many digits they have.
  const sameWords = (line: string) => isNumbered && withoutNumbers(line) === pattern;
  return rows
    .map((row) => ({
      ...row,
      bound: sameWords(row.line) ? 1 : similarityBound(row.line, needle),
    }))
    .filter(({ bound }) => bound >= MIN_SIMILARITY)
    .sort((a, b) => b.bound - a.bound)
    .slice(0, MAX_COMPARED)
    .map(({ index, line }) => {
      const score = similarity(line, needle);
      return { index, score: sameWords(line) ? Math.max(score, CLEAR_SIMILARITY) : score };
    })
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, MAX_PLACES)
    .map(({ index, score }) => ({ first: Math.max(0, index - anchor), score }));
}

function withoutNumbers(line: string): string {
  return line.replaceAll(/\d+/g, "0");
}

function visibleIndent(line: string): string {
  return line.slice(0, 200).replace(
    /^[ \t]+/,
    (indent) => indent.replaceAll(" ", "·").replaceAll("\t", "→"),
  );
}
