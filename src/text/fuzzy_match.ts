/**
 * Finding a passage that the model remembers almost right: nine ways of comparing, from exact
 * to merely similar, tried in order. Only finds; replacing is `fuzzy_replace.ts`.
 */
import { isSimilar, MAX_EXACT_CELLS, similarity } from "./similarity.ts";
import { TextFinder } from "./find_text.ts";

/** A passage: offsets into the text, half-open. */
export interface Region {
  start: number;
  end: number;
}

export type MatchStrategy = typeof STRATEGIES[number]["name"];

export interface FuzzyMatch {
  strategy: MatchStrategy;
  regions: Region[];
}

const LINE_SIMILARITY = 0.8;
/** Characters that are compared for likeness before the search is given up: about a second. */
const MAX_COMPARED_CHARS = 20_000_000;
const BLOCK_SIMILARITY = { single: 0.5, several: 0.7 };

const STRATEGIES = [
  { name: "exact", find: findAll },
  { name: "line_trimmed", find: byLines((line) => line.trim()) },
  { name: "whitespace_normalized", find: byFolding(foldSpaces) },
  { name: "indentation_flexible", find: findUnindented },
  { name: "escape_normalized", find: findUnescaped },
  { name: "trimmed_boundary", find: findTrimmedBoundary },
  { name: "unicode_normalized", find: findUnicode },
  { name: "block_anchor", find: findBlock },
  { name: "context_aware", find: findSimilarLines },
] as const;

/** The first way of comparing that finds the passage at least once, with every place it found. */
export function fuzzyFind(text: string, passage: string): FuzzyMatch | undefined {
  for (const { name, find } of STRATEGIES) {
    const regions = find(text, passage);
    if (regions.length > 0) return { strategy: name, regions };
  }
  return undefined;
}

/** Typographic characters as their plain forms: quotes, dashes, ellipsis, unusual spaces. */
export function foldCharacter(character: string): string {
  if (character < "\u00a0") return character;
  if (/[\u2018\u2019\u201a\u201b\u2032]/.test(character)) return "'";
  if (/[\u201c-\u201f\u2033\u00ab\u00bb]/.test(character)) return '"';
  if (/[\u2010-\u2015\u2212]/.test(character)) return "-";
  if (character === "\u2026") return "...";
  if (/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/.test(character)) return " ";
  return character;
}

/** The text with every character folded. */
export function foldUnicode(text: string): string {
  return text.replace(/[\u00a0-\uffff]/g, foldCharacter);
}

/** The line number, from 1, at an offset. */
export function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

type Finder = (text: string, passage: string) => Region[];

function findAll(text: string, passage: string): Region[] {
  const regions: Region[] = [];
  const finder = new TextFinder(passage);
  for (let at = finder.indexIn(text); at >= 0; at = finder.indexIn(text, at + passage.length)) {
    regions.push({ start: at, end: at + passage.length });
  }
  return regions;
}

/** Whole lines of a text, and of a passage whose final newline belongs to the region. */
interface LineView {
  lines: string[];
  starts: number[];
  wanted: string[];
  /** The passage ends with a newline. */
  takesNewline: boolean;
}

function viewLines(text: string, passage: string): LineView {
  const lines = text.split("\n");
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  const takesNewline = passage.endsWith("\n") && passage.length > 1;
  return {
    lines,
    starts,
    wanted: (takesNewline ? passage.slice(0, -1) : passage).split("\n"),
    takesNewline,
  };
}

/** Every non-overlapping run of lines for which `fits` holds at its first line. */
function windows(view: LineView, fits: (first: number) => boolean): Region[] {
  const { lines, starts, wanted, takesNewline } = view;
  const regions: Region[] = [];
  for (let first = 0; first + wanted.length <= lines.length; first++) {
    if (!fits(first)) continue;
    const last = first + wanted.length - 1;
    const end = starts[last]! + lines[last]!.length;
    const hasNewline = last + 1 < lines.length;
    regions.push({ start: starts[first]!, end: takesNewline && hasNewline ? end + 1 : end });
    first = last;
  }
  return regions;
}

/** Runs of lines that are equal once folded. */
function byLines(fold: (line: string) => string): Finder {
  return (text, passage) => {
    const view = viewLines(text, passage);
    const starts = new Set(runsOf(view.lines.map(fold), view.wanted.map(fold)));
    return windows(view, (first) => starts.has(first));
  };
}

/** Where `wanted` stands in `lines` (Knuth, Morris and Pratt): no line is looked at again and again. */
function runsOf(lines: readonly string[], wanted: readonly string[]): number[] {
  /** For each beginning of `wanted`, the length of the longest one that it also ends with. */
  const back = [0];
  let length = 0;
  for (let i = 1; i < wanted.length; i++) {
    while (length > 0 && wanted[i] !== wanted[length]) length = back[length - 1]!;
    if (wanted[i] === wanted[length]) length++;
    back.push(length);
  }
  const starts: number[] = [];
  length = 0;
  for (let i = 0; i < lines.length; i++) {
    while (length > 0 && lines[i] !== wanted[length]) length = back[length - 1]!;
    if (lines[i] === wanted[length]) length++;
    if (length < wanted.length) continue;
    starts.push(i - length + 1);
    length = back[length - 1]!;
  }
  return starts;
}

/** The passage without the space around it, exactly, within lines too. */
function findTrimmedBoundary(text: string, passage: string): Region[] {
  const plain = passage.trim();
  return plain === passage ? [] : findAll(text, plain);
}

/** A text folded piece by piece, with the offset each folded character came from. */
interface Folded {
  text: string;
  /** One more entry than characters: the end of the text. */
  origin: number[];
}

type Fold = (text: string) => Folded;

function byFolding(fold: Fold): Finder {
  return (text, passage) => {
    const folded = fold(text);
    return findAll(folded.text, fold(passage).text).map(({ start, end }) => ({
      start: folded.origin[start]!,
      end: folded.origin[end]!,
    }));
  };
}

function foldPieces(text: string, pieces: RegExp, fold: (piece: string) => string): Folded {
  let out = "";
  const origin: number[] = [];
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const plain = fold(piece);
    // All characters of one piece begin where it begins, so that no region ends inside it.
    for (let i = 0; i < plain.length; i++) {
      origin.push(plain.length === piece.length ? index + i : index);
    }
    out += plain;
  }
  origin.push(text.length);
  return { text: out, origin };
}

function foldSpaces(text: string): Folded {
  return foldPieces(text, /[ \t]+|[^ \t]+/g, (piece) => /^[ \t]/.test(piece) ? " " : piece);
}

/** Leading space of every line ignored; the passage may end within a line. */
function findUnindented(text: string, passage: string): Region[] {
  const regions = byFolding((part) =>
    foldPieces(part, /^[ \t]+|[^\n]*\n|[^\n]+/gm, (piece) => /^[ \t]+$/.test(piece) ? "" : piece)
  )(text, passage);
  return regions.map(({ start, end }) => {
    let indent = start;
    while (indent > 0 && " \t".includes(text[indent - 1]!)) indent--;
    const opensLine = indent === 0 || text[indent - 1] === "\n";
    return { start: opensLine ? indent : start, end };
  });
}

function foldTypography(text: string): Folded {
  return foldPieces(text, /[\u00a0-\uffff]|[^\u00a0-\uffff]+/g, foldUnicode);
}

function findUnicode(text: string, passage: string): Region[] {
  const plain = foldUnicode(passage);
  // Nothing typographic on either side: this strategy has nothing to add.
  if (plain === passage && foldUnicode(text) === text) return [];
  const inside = byFolding(foldTypography)(text, passage);
  if (inside.length > 0) return inside;
  return byLines((line) => foldUnicode(line).trim())(text, passage);
}

function findUnescaped(text: string, passage: string): Region[] {
  const plain = passage.replace(
    /\\([ntr])/g,
    (_, letter: string) => letter === "n" ? "\n" : letter === "t" ? "\t" : "\r",
  );
  return plain === passage ? [] : findAll(text, plain);
}

/** First and last line fit; what is between is alike enough. */
function findBlock(text: string, passage: string): Region[] {
  const view = viewLines(text, passage);
  const { lines, wanted } = view;
  if (wanted.length < 2) return [];
  const last = wanted.length - 1;
  const candidates = windows(view, (first) =>
    lines[first]!.trim() === wanted[0]!.trim() &&
    lines[first + last]!.trim() === wanted[last]!.trim());
  const threshold = candidates.length === 1 ? BLOCK_SIMILARITY.single : BLOCK_SIMILARITY.several;
  const middle = wanted.slice(1, -1).join("\n");
  return candidates.filter(({ start, end }) => {
    const found = text.slice(start, end).replace(/\n$/, "").split("\n").slice(1, -1).join("\n");
    return similarity(found, middle) >= threshold;
  });
}

function findSimilarLines(text: string, passage: string): Region[] {
  const view = viewLines(text, passage);
  const { lines, wanted } = view;
  if (wanted.every((line) => line.trim() === "")) return [];
  let left = MAX_COMPARED_CHARS;
  const isLike = (line: string, other: string) => {
    left -= 10 + line.length + other.length;
    if (line === other || left < 0) return left >= 0;
    left -= Math.min(line.length * other.length, MAX_EXACT_CELLS);
    return isSimilar(line, other, { threshold: LINE_SIMILARITY });
  };
  const telling = wanted.map((line, offset) => ({ line: line.trim(), offset }))
    .filter(({ line }) => line !== "");
  const regions = windows(
    view,
    (first) => telling.every(({ line, offset }) => isLike(lines[first + offset]!.trim(), line)),
  );
  return left < 0 ? [] : regions;
}
