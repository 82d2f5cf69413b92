/** Matching lines of one text with their neighbours: the page of them that is wanted, and a count of all. */
import type { SearchRegex } from "./search_regex.ts";

export interface TextRow {
  line: number;
  text: string;
  match: boolean;
}

export interface TextPage {
  /** Matches wanted: from this one, counted from 0, up to but not including `to`. */
  from: number;
  to: number;
  /** Lines around each. */
  context: number;
  /** A match may span lines; each of its lines is then a row. */
  multiline: boolean;
  /** Count the lines of the whole text too. */
  countNewlines: boolean;
}

/** Characters of a line that are kept. */
export const MAX_ROW_CHARS = 500;

/** Rows in order; a match counts once per line, or once when it spans lines. */
export function searchText(
  text: string,
  search: SearchRegex,
  page: TextPage,
): { count: number; rows: TextRow[]; newlines: number } {
  const possible = search.literal === undefined || text.includes(search.literal);
  const searched = possible ? clipLongLines(text, search) : "";
  const { count, rows } = matchRows(searched, search.regex, page);
  if (searched !== text && rows.length > 0) restoreRows(text, rows);
  const newlines = page.countNewlines ? new LineCounter(text).lineAt(text.length) - 1 : 0;
  return { count, rows, newlines };
}

function matchRows(
  text: string,
  regex: RegExp,
  page: TextPage,
): { count: number; rows: TextRow[] } {
  const rows = new Map<number, TextRow>();
  const position = new LineCounter(text);
  let count = 0;
  regex.lastIndex = 0;
  for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
    if (isPastEnd(text, found.index)) break;
    const start = lineStart(text, found.index);
    const last = page.multiline
      ? Math.max(found.index, found.index + found[0].length - 1)
      : found.index;
    const end = lineEnd(text, last);
    if (count >= page.from && count < page.to) {
      addRows(rows, { text, start, end, line: position.lineAt(start), context: page.context });
    }
    count++;
    if (end >= text.length) break;
    regex.lastIndex = end + 1;
  }
  return { count, rows: [...rows.values()].sort((a, b) => a.line - b.line) };
}

/** The text with lines that are too long for the expression cut to a window: round the literal, or at the start. */
function clipLongLines(text: string, { maxLineChars, literal }: SearchRegex): string {
  const parts: string[] = [];
  let kept = 0;
  // Jumps from newline to newline as far apart as a line may be long, so that short lines cost nothing.
  for (let at = 0; at + maxLineChars < text.length;) {
    const newline = text.lastIndexOf("\n", at + maxLineChars);
    if (newline >= at) {
      at = newline + 1;
      continue;
    }
    const end = lineEnd(text, at + maxLineChars);
    const word = literal === undefined ? at : text.indexOf(literal, at);
    const found = word >= 0 && word < end;
    const start = found ? Math.max(at, word - maxLineChars / 2) : end;
    parts.push(text.slice(kept, at), text.slice(start, Math.min(end, start + maxLineChars)));
    kept = at = end;
  }
  return kept === 0 ? text : parts.join("") + text.slice(kept);
}

/** Rows found in a clipped text show the lines as they are. */
function restoreRows(text: string, rows: readonly TextRow[]): void {
  const wanted = new Map(rows.map((row) => [row.line, row]));
  let number = 1;
  for (let at = 0; at <= text.length && wanted.size > 0; number++) {
    const end = lineEnd(text, at);
    const found = wanted.get(number);
    if (found) found.text = row(text.slice(at, end), number, found.match).text;
    wanted.delete(number);
    at = end + 1;
  }
}

/** Line numbers of growing offsets, counting each newline once. */
class LineCounter {
  #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  lineAt(offset: number): number {
    for (let next = this.#text.indexOf("\n", this.#at); next >= 0 && next < offset;) {
      this.#line++;
      this.#at = next + 1;
      next = this.#text.indexOf("\n", this.#at);
    }
    return this.#line;
  }
}

function addRows(
  rows: Map<number, TextRow>,
  match: { text: string; start: number; end: number; line: number; context: number },
): void {
  const { text, start, end, line, context } = match;
  let at = start;
  for (let number = line - 1; number >= line - context && at > 0; number--) {
    const stop = at - 1;
    at = lineStart(text, stop);
    if (!rows.has(number)) rows.set(number, row(text.slice(at, stop), number, false));
  }
  let number = line;
  for (const part of text.slice(start, end).split("\n")) {
    rows.set(number, row(part, number, true));
    number++;
  }
  at = end + 1;
  for (let i = 0; i < context && at < text.length; i++, number++) {
    const stop = lineEnd(text, at);
    if (!rows.has(number)) rows.set(number, row(text.slice(at, stop), number, false));
    at = stop + 1;
  }
}

function row(text: string, line: number, match: boolean): TextRow {
  const clean = text.endsWith("\r") ? text.slice(0, -1) : text;
  return { line, text: clean.slice(0, MAX_ROW_CHARS), match };
}

/** An empty match behind the final newline belongs to no line. */
function isPastEnd(text: string, index: number): boolean {
  return index === text.length && (index === 0 || text[index - 1] === "\n");
}

function lineStart(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
}

function lineEnd(text: string, index: number): number {
  const end = text.indexOf("\n", index);
  return end < 0 ? text.length : end;
}
