/** Where a passage that was not found may have been meant: the most similar places of a text. */
import { similarity, similarityBound } from "./similarity.ts";

const MAX_PLACES = 3;
const MIN_SIMILARITY = 0.5;
const MAX_SNIPPET_LINES = 6;
/** Beyond this, looking at every line costs more than the hint is worth. */
const MAX_LINES = 50_000;
/** Lines that are compared in earnest, and how much of each. */
const MAX_COMPARED = 200;
const MAX_LINE_CHARS = 500;

/** Up to three numbered snippets, leading spaces as `·` and tabs as `→`; empty when nothing is near. */
export function nearestPassages(text: string, passage: string): string {
  const wanted = passage.split("\n");
  const anchor = wanted.reduce(
    (best, line, i) => line.trim().length > wanted[best]!.trim().length ? i : best,
    0,
  );
  const needle = wanted[anchor]!.trim().slice(0, MAX_LINE_CHARS);
  const lines = text.split("\n");
  if (needle === "" || lines.length > MAX_LINES) return "";
  const scored = lines
    .map((line, index) => ({ index, line: line.trim().slice(0, MAX_LINE_CHARS) }))
    .filter(({ line }) => line !== "")
    .map((row) => ({ ...row, bound: similarityBound(row.line, needle) }))
    .filter(({ bound }) => bound >= MIN_SIMILARITY)
    .sort((a, b) => b.bound - a.bound)
    .slice(0, MAX_COMPARED)
    .map(({ index, line }) => ({ index, score: similarity(line, needle) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, MAX_PLACES);
  return scored.map(({ index }) => {
    const first = Math.max(0, index - anchor);
    const count = Math.min(wanted.length, MAX_SNIPPET_LINES);
    return lines.slice(first, first + count)
      .map((line, i) => `${first + i + 1}|${visibleIndent(line)}`).join("\n");
  }).join("\n---\n");
}

function visibleIndent(line: string): string {
  return line.slice(0, 200).replace(
    /^[ \t]+/,
    (indent) => indent.replaceAll(" ", "·").replaceAll("\t", "→"),
  );
}
