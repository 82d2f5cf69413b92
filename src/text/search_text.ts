/** Matching lines of one text with their neighbours: the page of them that is wanted, and a count of all. */
import type { SearchMatcher } from "./search_matcher.ts";
import type { Clock } from "./linear_regex.ts";

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
  /** Throws when the search has taken too long. */
  clock?: Clock;
}

/** Characters of a line that are kept. */
export const MAX_ROW_CHARS = 500;

/** Rows in order; a match counts once per line, or once when it spans lines. */
export function searchText(
  text: string,
  search: SearchMatcher,
  page: TextPage,
): { count: number; rows: TextRow[]; newlines: number } {
  const possible = search.literal === undefined || text.includes(search.literal);
  const { count, rows } = possible ? matchRows(text, search, page) : { count: 0, rows: [] };
  const newlines = page.countNewlines ? new LineCounter(text).lineAt(text.length) - 1 : 0;
  return { count, rows, newlines };
}

function matchRows(
  text: string,
  search: SearchMatcher,
  page: TextPage,
): { count: number; rows: TextRow[] } {
  const rows = new Map<number, TextRow>();
  const position = new LineCounter(text);
  let count = 0;
  for (let from = 0;;) {
    if (search.literal !== undefined && !page.multiline) {
      const next = text.indexOf(search.literal, from);
      if (next < 0) break;
      from = Math.max(from, lineStart(text, next));
    }
    const found = search.find(text, from, page.clock);
    if (found === undefined || isPastEnd(text, found.index)) break;
    const start = lineStart(text, found.index);
    const last = page.multiline ? Math.max(found.index, found.end - 1) : found.index;
    const end = lineEnd(text, last);
    if (count >= page.from && count < page.to) {
      addRows(rows, { text, start, end, line: position.lineAt(start), context: page.context });
    }
    count++;
    if (end >= text.length) break;
    from = end + 1;
  }
  return { count, rows: [...rows.values()].sort((a, b) => a.line - b.line) };
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
