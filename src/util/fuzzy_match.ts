/**
 * Finding a passage that somebody remembers almost right: nine ways of comparing, from exact
 * to merely similar, tried in order. Only finds; replacing is `fuzzy_replace.ts`.
 */
import { Effort } from "./effort.ts";
import { placesOf } from "./find_text.ts";
import { isSimilar } from "./similarity.ts";

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
/** Beyond this, comparing every line takes seconds. */
const MAX_COMPARED_LINES = 100_000;
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

/** What folding one character costs, with the table that leads back to where it was. */
const FOLDING = 8;
/** What comparing two lines costs however short they are. */
const COMPARING = 8;

/**
 * The first way of comparing that finds the passage at least once, with every place it found. When
 * the effort is spent the ways that are left are not tried; the exact one always is.
 */
export function fuzzyFind(
  text: string,
  passage: string,
  effort: Effort = new Effort(),
): FuzzyMatch | undefined {
  for (const { name, find } of STRATEGIES) {
    const regions = name === "exact"
      ? findAll(text, passage)
      : effort.within(() => find(text, passage, effort), []);
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

type Finder = (text: string, passage: string, effort: Effort) => Region[];

function findAll(text: string, passage: string): Region[] {
  const regions: Region[] = [];
  for (const start of placesOf(text, passage)) {
    if (start < (regions.at(-1)?.end ?? 0)) continue;
    regions.push({ start, end: start + passage.length });
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

/** Runs of lines that are the same once `plain` was applied to each. */
function byLines(plain: (line: string) => string): Finder {
  return (text, passage, effort) => {
    effort.spend((text.length + passage.length) * FOLDING);
    const view = viewLines(text, passage);
    const lines = view.lines.map(plain);
    const wanted = view.wanted.map(plain);
    return windows(view, (first) =>
      wanted.every((line, i) => {
        effort.spend(COMPARING + line.length);
        return lines[first + i] === line;
      }));
  };
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
  return (text, passage, effort) => {
    effort.spend((text.length + passage.length) * FOLDING);
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
function findUnindented(text: string, passage: string, effort: Effort): Region[] {
  const regions = byFolding((part) =>
    foldPieces(part, /^[ \t]+|[^\n]*\n|[^\n]+/gm, (piece) => /^[ \t]+$/.test(piece) ? "" : piece)
  )(text, passage, effort);
  return regions.map(({ start, end }) => ({ start: lineStart(text, start), end }));
}

/** The beginning of the line when only blanks lie between; the offset itself otherwise. */
function lineStart(text: string, offset: number): number {
  let at = offset;
  while (text[at - 1] === " " || text[at - 1] === "\t") at--;
  return at === 0 || text[at - 1] === "\n" ? at : offset;
}

function foldTypography(text: string): Folded {
  return foldPieces(text, /[\u00a0-\uffff]|[^\u00a0-\uffff]+/g, foldUnicode);
}

function findUnicode(text: string, passage: string, effort: Effort): Region[] {
  const plain = foldUnicode(passage);
  // Nothing typographic on either side: this strategy has nothing to add.
  if (plain === passage && foldUnicode(text) === text) return [];
  const inside = byFolding(foldTypography)(text, passage, effort);
  if (inside.length > 0) return inside;
  return byLines((line) => foldUnicode(line).trim())(text, passage, effort);
}

function findUnescaped(text: string, passage: string): Region[] {
  const plain = passage.replace(
    /\\([ntr])/g,
    (_, letter: string) => letter === "n" ? "\n" : letter === "t" ? "\t" : "\r",
  );
  return plain === passage ? [] : findAll(text, plain);
}

/** First and last line fit; what is between is alike enough. */
function findBlock(text: string, passage: string, effort: Effort): Region[] {
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
    effort.spend(end - start);
    return isSimilar(found, middle, { threshold, effort });
  });
}

function findSimilarLines(text: string, passage: string, effort: Effort): Region[] {
  const view = viewLines(text, passage);
  const wanted = view.wanted.map((line) => line.trim());
  const tooLong = view.lines.length > MAX_COMPARED_LINES;
  if (wanted.every((line) => line === "") || tooLong) return [];
  const lines = view.lines.map((line) => line.trim());
  return windows(view, (first) =>
    wanted.every((line, i) => {
      effort.spend(COMPARING);
      return line === "" ||
        isSimilar(lines[first + i]!, line, { threshold: LINE_SIMILARITY, effort });
    }));
}
